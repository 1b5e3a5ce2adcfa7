import { getCurrentUser } from '#product/accounts/contract.ts';
import type { SettingsView } from '#product/accounts/contract/settings.ts';
import type { Member } from '../site.ts';

/** The response to one POST /user/settings, as it is on the wire. */
export async function postsSettings(
  who: Member,
  payload: object,
): Promise<{ readonly status: number; readonly body: Record<string, never> }> {
  const answer = await who.request({ method: 'POST', url: '/api/v1/user/settings', payload });
  return { status: answer.statusCode, body: answer.json() };
}

/** Somebody's settings, as GET /user/current returns them. */
export const settingsOf = async (who: Member): Promise<SettingsView> =>
  (await who.call(getCurrentUser, {})).settings;
