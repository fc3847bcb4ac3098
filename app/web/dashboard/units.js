// Shares as numbers in the form: percent, or percent of the rest (a delta of 0.05 is shown as a confidence of 95).

const rounded = (number) => Number(number.toPrecision(12)); // 5 / 100 must not become 0.05000000000000001

export const PERCENT = { shown: (share) => rounded(100 * share), sent: (percent) => rounded(percent / 100) };
export const ONE_MINUS_PERCENT = { shown: (share) => rounded(100 * (1 - share)), sent: (percent) => rounded(1 - percent / 100) };
