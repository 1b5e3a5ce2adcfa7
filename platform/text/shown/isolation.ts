/** Letters written from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and those beyond 16 bits. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
/** A text that is one isolate, as cleaned texts and sentences around them have it. */
const ISOLATED = /^\u2068[^\u2066-\u2069]*\u2069$/u;

/**
 * Isolates a typed text within a sentence of ours: right-to-left letters then affect only their own text, and
 * no number beside it (first strong isolate, UAX #9). Elements do the same with `<Typed>`. Idempotent.
 */
export const isolated = (
  text: string,
): string => (RIGHT_TO_LEFT.test(text) && !ISOLATED.test(text) ? `\u2068${text}\u2069` : text);
