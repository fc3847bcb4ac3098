"""How a plan divides its impressions: estimates and costs. They prove nothing; a wrong one costs impressions only.

Used by the policy `rplans`: `estimates` (of every pair), `costs` (samples that a bound needs), `screens` (bounds F and
I), `contrasts` (bound C), `targets` (what to prove next), `batch` (which pairs to show, and how often).
"""
