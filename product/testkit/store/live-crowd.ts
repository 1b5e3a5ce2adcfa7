import type { GenderCode } from '#product/accounts/rules.ts';
import { clearsBySeed } from '../people/identity.ts';
import type { TestSite } from '../site.ts';

interface BroadcastRows {
  'broadcast.broadcasts': {
    performer_id: number;
    clearance_id: number;
    stream: string;
    phase: 'online';
    publish_session: string;
    published_with: 'stream_key';
    protocol: 'whip';
    made_at: Date;
    started_at: Date;
  };
}

export interface CrowdPerformer {
  readonly id: number;
  readonly username: string;
}

/**
 * Many live performers, without browsers or media: only their rows. For pages of listings; for one that can
 * act, create a performer with the site.
 */
export async function crowdOf(
  site: TestSite,
  count: number,
  { gender = 'f', prefix = 'crowd', languages = [] }: {
    readonly gender?: GenderCode;
    readonly prefix?: string;
    readonly languages?: readonly string[];
  } = {},
): Promise<readonly CrowdPerformer[]> {
  const { accounts } = site.services;
  const password = 'correct horse battery';
  const passwordHash = await accounts.hashPassword(password);
  const people: CrowdPerformer[] = [];
  for (let number = 1; number <= count; number += 1) {
    const username = `${prefix}${number}`;
    people.push(
      await accounts.create(site.scope, {
        username,
        email: `${username}@people.example`,
        password,
        passwordHash,
        birthDate: '1996-01-15',
        type: 'model',
        gender,
        languages,
        roles: [],
      }),
    );
  }
  await site.settle();
  await site.tx(async (tx) => {
    for (const { id, username } of people) {
      const clearanceId = await clearsBySeed(site.services, tx, id);
      await tx.sql<BroadcastRows>().insertInto('broadcast.broadcasts').values({
        performer_id: id,
        clearance_id: clearanceId,
        stream: `stream-of-${username}`,
        phase: 'online',
        publish_session: username,
        published_with: 'stream_key',
        protocol: 'whip',
        made_at: tx.now,
        started_at: tx.now,
      }).execute();
    }
  });
  await site.settle();
  return people;
}
