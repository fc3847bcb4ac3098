"""The routes that the framework serves, one module for each group of addresses."""
