"""Pure numerics: what to show next, and what is proven. numpy, scipy and the standard library, nothing else.

No clock, no IO, no global random state: the service, the simulator and the experiments run this same code.

Notation (the paper is Bhargava, Ganti, Nowak, "Active Algorithms for Preference Learning Problems with Multiple
Populations"; sections refer to it). Words at the border, these letters inside:

| symbol     | in code          | meaning                                                     | shape  | paper      |
| ---------- | ---------------- | ----------------------------------------------------------- | ------ | ---------- |
| K          | n_items          | items                                                       |        | sec. 1     |
| r          | rank             | hidden groups, rank of L                                    |        | sec. 3     |
| p_k        | p                | share of group k                                            | (r,)   | sec. 3     |
| u_k(i)     | u                | probability that group k clicks item i                      | (r, K) | sec. 3     |
| L          | L                | P(no click) of a pair: sum_k p_k (1-u_k(i)) (1-u_k(j))       | (K, K) | eq. (6)    |
| R = 1 - L  | reward           | P(at least one click)                                       | (K, K) | eq. (6)    |
| X          | X                | a factor of L: L = X X'                                     | (K, r) |            |
| P          | n_pairs          | distinct pairs, K(K-1)/2                                    |        |            |
| n_ij       | n                | impressions of a pair                                       | (P,)   | Lemma 6.1  |
| S_ij       | s                | impressions of a pair without a click                       | (P,)   |            |
| epsilon    | epsilon          | how far from the best the answer may be                     |        | sec. 3     |
| delta      | delta            | how often the proof may be wrong                            |        | sec. 3     |
| U, LB      | upper, lower     | confidence bounds of L_ij                                   | (P,)   |            |
| M(p)       | log_price        | anytime martingale of an entry; its log at p_hat is a price |        |            |
| p_i        | x                | P(item i is not clicked), or L_ic with a blank c             | (K,)   |            |
| m_ij       | both             | P(both items of a pair are clicked)                         | (P,)   |            |
| lambda     | purse            | what a bet on a difference stakes on its score              | (R,)   |            |
| calligr. C | chosen           | items whose columns are independent                         | (r,)   | Alg. 1, 2  |
| C          | C                | columns L[:, chosen]                                        | (K, r) | sec. 6     |
| W          | W                | principal submatrix L[chosen, chosen]                       | (r, r) | sec. 6     |
| A_k        | A                | principal submatrix of chosen and candidate k               | (p, p) | Alg. 3     |
| sigma_min  | sigma            | smallest singular value of A_k                              |        | Alg. 3     |
| alpha_t,k  | alpha            | confidence radius of sigma_min                              |        | Alg. 3     |
| Z_ii       | residual         | Schur complement of item i over the chosen columns          | (K,)   | Prop. 5.1  |

The rooms: `problem` (the question), `evidence` (counts), `confidence` (one entry), `bounds` (sound bounds for pairs),
`shares` and `choices` (who spends delta, and what bounds rest on), `certificate` (what is proven), `health`
(what contradicts it), `columns` and `nystrom` (the paper's method), `completion` and `fit` (low-rank guesses),
`spending` (prices: what to show to prove something), `policies` (one file each), `demand` (what to show), `plan` (the
one entry point: evidence in, demand and report out), `memory` (what a policy carries from plan to plan), `randomness`
(one stream of coins per purpose).
"""
