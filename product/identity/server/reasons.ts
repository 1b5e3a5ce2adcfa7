import type { TextOf } from '#platform/text/message-keys.ts';
import type { Reason } from '../rules.ts';

/** A reason of a rejection in somebody's language. */
export const reasonText = (text: TextOf, locale: string, reason: Reason): string =>
  text(locale, `identity:reasons.${reason}`);
