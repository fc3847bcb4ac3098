"""HTTP only: routes, bodies, problems, documents. What happens is decided in `sessions`."""
