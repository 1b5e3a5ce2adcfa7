import type { KeyOf } from '#platform/text/message-keys.ts';
import type { RequestBar } from '../../../rules/private.ts';

/** Why no show can be requested now. The texts of refusals are on the server, so pages need their own. */
export const BAR_TEXTS = {
  private_disabled: 'private.bar.private_disabled',
  private_voyeur: 'private.bar.private_voyeur',
  private_limited_show: 'private.bar.private_limited_show',
  private_versus: 'private.bar.private_versus',
  private_unavailable: 'private.bar.private_unavailable',
} as const satisfies Readonly<Record<RequestBar, KeyOf<'shows'>>>;
