import { uuidV4 } from '#platform/data/ids.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { joinFanclub, saveOwnClub, type ClubView } from '#product/fanclubs/contract.ts';
import { publishPost, type PostView } from '#product/fanclubs/contract/posts.ts';
import type { PostAudience } from '#product/fanclubs/rules/posts.ts';
import type { Member, TestSite } from './site.ts';

const CLUB: ClubView = {
  enabled: true,
  description: 'A club for people who like rain.',
  prices: { supporter: 100, insider: 250, legend: 501 },
  perks: { supporter: [], insider: [], legend: [] },
};

/** A performer with a fan club. */
export async function clubOwner(
  site: TestSite,
  options: Parameters<TestSite['performer']>[0] = {},
): Promise<Member> {
  const performer = await site.performer(options);
  await performer.call(saveOwnClub, CLUB);
  return performer;
}

/** Opens or closes a club. */
export const setsClub = (owner: Member, enabled: boolean): Promise<unknown> =>
  owner.call(saveOwnClub, { ...CLUB, enabled });

/** Somebody who paid for a level of a club. */
export async function clubMember(
  site: TestSite,
  { username }: Pick<Member, 'username'>,
  level: FanclubLevel,
  options: Parameters<TestSite['viewer']>[0] = {},
): Promise<Member> {
  const member = await site.viewer({ tokens: 600, ...options });
  const price = CLUB.prices[level];
  await member.call(joinFanclub, { username, level, price }, { idempotencyKey: uuidV4() });
  return member;
}

export const posts = async (
  owner: Member,
  body: string,
  audience: PostAudience = 'everyone',
): Promise<PostView> => (await owner.call(publishPost, { body, audience })).post;
