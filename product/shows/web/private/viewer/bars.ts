import type { KeyOf } from '../../../../../platform/text/message-keys.ts';
import type { RequestBar } from '../../../rules/private.ts';

/** Texts of why no show can be requested now: those of the refusals that a request would get. */
export const BAR_TEXTS = {
  private_disabled: 'refusals.private_disabled', private_voyeur: 'refusals.private_voyeur',
  private_limited_show: 'refusals.private_limited_show', private_versus: 'refusals.private_versus',
  private_unavailable: 'refusals.private_unavailable',
} as const satisfies Readonly<Record<RequestBar, KeyOf<'shows'>>>;
