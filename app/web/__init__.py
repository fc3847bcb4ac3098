"""HTTP only: routes, the hot lane, bodies, problems and the files of the dashboard. The use cases decide the rest."""
