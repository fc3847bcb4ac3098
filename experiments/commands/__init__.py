"""The commands of the experiments: each parses its options, runs the measurement and prints the result."""
