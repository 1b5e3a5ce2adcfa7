import type { KeyOf } from '#platform/text/message-keys.ts';
import type { RequestBar } from '../../../rules/private.ts';

/** Texts of why no show can be requested now: pages carry no texts of refusals, which the server sends. */
export const BAR_TEXTS = {
  private_disabled: 'private.bar.private_disabled', private_voyeur: 'private.bar.private_voyeur',
  private_limited_show: 'private.bar.private_limited_show', private_versus: 'private.bar.private_versus',
  private_unavailable: 'private.bar.private_unavailable',
} as const satisfies Readonly<Record<RequestBar, KeyOf<'shows'>>>;
