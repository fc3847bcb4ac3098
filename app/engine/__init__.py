"""Pure numerics: what to show next, and what is proven. numpy, scipy and the standard library, nothing else.

No clock, no IO, no global random state: the service, the simulator and the experiments run this same code.

Modules, from the entry point down (the order of layers in pyproject.toml): `plan` (evidence in, demand and report out),
`policies` (one file each), `allocation` (estimates and costs: which pairs to show for a proof), `certificate` (what is
proven), `health` with `agreement`, `unanswered` and `late` (what contradicts the proof), `memory` (what a policy keeps
from plan to plan), `bounds` (sound bounds for pairs), `choices` (what bounds depend on), `fit` and `completion`
(low-rank estimates), `nystrom` (the paper's method), `confidence` (the interval of one entry), `delta_shares` (how
delta is divided), `evidence` (counts), `demand` (what to show), `problem` (the question), `randomness` (one random
stream per purpose), `arrays` (numbers of pairs).

Notation (the paper is Bhargava, Ganti, Nowak, "Active Algorithms for Preference Learning Problems with Multiple
Populations"; sections refer to it). Names are words in interfaces and these letters in formulas. A test checks that
every single-letter name of the engine is in the second column.

| symbol     | in code        | meaning                                                          | shape  | where      |
| ---------- | -------------- | ---------------------------------------------------------------- | ------ | ---------- |
| K          | K, n_items     | items                                                            |        | sec. 1     |
| r          | r, rank        | hidden groups, rank of L                                         |        | sec. 3     |
| p_k        |                | share of group k                                                 | (r,)   | sec. 3     |
| u_k(i)     |                | probability that group k clicks item i                           | (r, K) | sec. 3     |
| L          | L, L_hat       | P(no click) of a pair, sum_k p_k (1-u_k(i))(1-u_k(j)); estimate  | (K, K) | eq. (6)    |
| R = 1 - L  | reward         | P(at least one click)                                            | (K, K) | eq. (6)    |
| i, j       | i, j           | the two items of a pair, i <= j                                  |        |            |
| P          | P, n_pairs     | distinct pairs, K(K-1)/2                                         |        |            |
| n_ij       | n              | impressions of a pair (of an item, of a group)                   | (P,)   | Lemma 6.1  |
| S_ij       | s              | impressions of a pair without a click                            | (P,)   |            |
| p, q       | p, q           | probabilities of no click of one entry or of two items           |        |            |
| p_i        | x, p           | P(item i is not clicked), or L_ic with a blank c                 | (K,)   |            |
| m_ij       | both           | P(both items of a pair are clicked)                              | (P,)   |            |
| epsilon    | epsilon, goal  | how far from the best the answer may be, absolute or relative    |        | sec. 3     |
| delta      | delta          | probability with which a certificate may be wrong                |        | sec. 3     |
| U, LB      | upper, lower   | confidence bounds of L_ij                                        | (P,)   |            |
| M(p)       | log_price      | anytime martingale of an entry; its log at p_hat is a price      |        | confidence |
| a, b       | a, b           | parameters of a Beta prior                                       |        | confidence |
| G(m, c)    | m, c           | log Gamma(m + c) - m log m + m                                   |        | confidence |
| g          | g, guess       | guess of a probability; overall mean where a fit starts          |        | confidence |
| b          | log_level      | log 1/alpha of a bound                                           |        | bounds     |
| m          | m              | multiplier of weak duality                                       | (q,)   | screening  |
| h_i(m)     | h              | min over p of p + m log M(p)                                     | (q, K) | screening  |
| c          | c              | a blank; a chosen column                                         |        | screening  |
| k = (a, b) | k, a, b        | the nominee (pair number) and its items                          |        | contrast   |
| r = (i, j) | rivals         | a rival of the nominee and its items                             | (R,)   | contrast   |
| u, v       | u, v           | two of the slots i, j, a, b; two places in a list                |        | contrast   |
| q_x        | LEFT_U, LEFT_V | 1 if item x is not clicked, 0 if it is                           |        | contrast   |
| d_x        | d              | estimate of p_x                                                  | (4, R) | contrast   |
| Z          | Z              | (q_i - d_i)(q_j - d_j), the score of a pair                      | (R, 4) | contrast   |
| c_x        | c              | coefficient of p_x in L_r - L_k                                  | (4, R) | contrast   |
| lambda     | bet_size       | size of a bet on a difference                                    | (R,)   | contrast   |
| y          | y              | lambda times the score of an impression                          | (R, 4) | contrast   |
| gamma      | gamma          | coefficients of L_r, L_k, p_x in the sum of E[y]                 | (4, R) | contrast   |
| V          | V              | variance of the sum of scores of a bet                           | (R,)   | contrast   |
| s          | s              | margin of a bet                                                  | (J,)   | allocation |
| v          | v              | variance of one sample of an item, x(1-x)                        | (K,)   | allocation |
| w          | w, width       | width of the leader's upper bound, as a part of `Goal.width`     |        | allocation |
| e          | e              | variance of an item's mean, its level                            | (K,)   | allocation |
| T          | T              | the e_i + e_j at which a pair is settled                         | (m,)   | allocation |
| J          | J              | rivals of a leader                                               |        | allocation |
| X          | X              | factor of L: L = X X'; rows L[i, chosen] in Schur residuals      | (K, r) | fit        |
| V_i        | V, v           | covariance of a row of X; a direction of power iteration         | (K,r,r)| fit        |
| S, Y       | S, Y           | L_hat = X S Y', OptSpace                                         |        | completion |
| calligr. C | chosen         | items whose columns are independent                              | (r,)   | Alg. 1, 2  |
| C          | C              | columns L[:, chosen]                                             | (K, r) | sec. 6     |
| W          | W              | principal submatrix L[chosen, chosen]                            | (r, r) | sec. 6     |
| A_k        | A              | principal submatrix of chosen and candidate k                    | (p, p) | Alg. 3     |
| p, m       | p, m           | size of A_k; number of candidates                                |        | Alg. 3     |
| sigma_min  | sigma          | smallest singular value of A_k                                   |        | Alg. 3     |
| alpha_t,k  | alpha          | confidence radius of sigma_min                                   |        | Alg. 3     |
| Z_ii       | residual       | Schur complement of item i over the chosen columns               | (K,)   | Prop. 5.1  |
| N, U       | N, U           | impressions of a plan; those unanswered (or answered, if rarer)  |        | unanswered |
| m, u, q    | m, q           | impressions of a pair or item; unanswered ones; U/N              |        | unanswered |
| w          | w              | weight of an impression in a bet                                 |        | unanswered |
| b_i        | b              | learned log odds of item i                                       | (K,)   | unanswered |
| N, m       | n, m           | answers of a cell (a pair in a plan), n of them timely; late ones|        | late       |
| a, c, q    | a, c, q        | timely clicks and late clicks of a cell; (a + c)/N               |        | late       |
| v          | v              | a plan version                                                   |        | agreement  |
| t, c       | t, c           | number of a round; constant of lil' UCB                          |        | policies   |
"""
