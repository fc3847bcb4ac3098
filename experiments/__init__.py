"""The paper's figures, comparisons of policies, and benchmarks of the service. Not deployed: commands of a checkout."""
