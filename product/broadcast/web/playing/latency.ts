/** The smallest latency shown: smaller values cannot be measured reliably. */
const SHOWN_FROM_MS = 100;

/** Seconds with one decimal, in the digits of a language: how far a video is behind live. */
export const formatLatency = (latencyMs: number, language: string): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
    .format(Math.max(SHOWN_FROM_MS, latencyMs) / 1_000);
