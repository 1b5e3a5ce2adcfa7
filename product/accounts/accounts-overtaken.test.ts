import type { AnyCall } from '#platform/contract/call.ts';
import { setNoticeOptions, setPreference, setSubscription } from '#product/notices/contract/preferences.ts';
import {
  changePushProvider,
  registerPlayer,
  removePushProvider,
} from '#product/notices/contract/push-provider.ts';
import { registerPush, reportPush } from '#product/notices/contract/push.ts';
import { declaredBy } from '#product/testkit/contracts.ts';
import { TestPushProvider } from '#product/testkit/outside/push-provider.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { overtaken } from '#product/testkit/people/overtaking.ts';
import { openWaysIn, ORIGIN, PASSWORD, type WaysIn } from '#product/testkit/people/ways-in.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePassword, login, logoutEverywhere, updateProfile } from './contract.ts';
import { removeAvatar, uploadAvatar } from './contract/avatar.ts';
import { endDevice, listDevices } from './contract/devices.ts';
import { requestDeletion } from './contract/life/deletion.ts';
import { changeEmail, resendEmail } from './contract/life/email.ts';
import { linkAccount, unlinkAccount } from './contract/life/linked.ts';
import { askForCopy, downloadCopy } from './contract/life/own-data.ts';
import { getPerson, suspendPerson } from './contract/life/people.ts';
import { changeUsername } from './contract/life/username.ts';
import { confirmWaysIn } from './contract/life/ways-in.ts';
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey } from './contract/passkeys.ts';
import { becomePerformer } from './contract/performing.ts';
import { confirmPhone, removePhone, sendPhoneCode } from './contract/phones.ts';
import { finishProvider, linkProvider, removeProvider } from './contract/providers.ts';
import { updateSettings } from './contract/settings.ts';
import { becomeFirstAdmin, setRole } from './contract/staff-roles.ts';
import { resetSecondStep } from './contract/staff-second-step.ts';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, renewRecoveryCodes } from './contract/two-factor.ts';

const NEXT = 'eleven blue tortoises';
let site: TestSite;
let opened: Awaited<ReturnType<typeof openWaysIn>>;
let ways: WaysIn;
const push = new TestPushService();
const pushProvider = new TestPushProvider();
beforeAll(async () => {
  await push.start();
  await pushProvider.start();
  opened = await openWaysIn({ pushAllowsLoopback: true });
  ({ site, ways } = opened);
});
afterAll(async () => {
  await opened.close();
  await pushProvider.close();
  await push.close();
});

/** More than the units of work of any of these calls. */
const MOST_UNITS = 30;
type Act = () => Promise<unknown>;

const numberOf = ({ id }: Member): string => `+3161234${String(id).padStart(4, '0')}`;
async function withPicture(): Promise<FormData> {
  const bytes = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#f00' } }).png()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'me.png');
  return form;
}
async function sendsCode(who: Member): Promise<string> {
  await who.call(updateSettings, { phone: numberOf(who) });
  await who.call(sendPhoneCode, {});
  await site.settle();
  return /\d{6}/u.exec(await ways.lastTo(numberOf(who)))?.[0] ?? '';
}
async function withProvider(): Promise<void> {
  await (await site.admin()).call(changePushProvider, { ...pushProvider.settings, reason: 'for a test' });
}

/** A call that a thief makes in somebody's session, prepared so that it would succeed. */
type Theft = readonly [call: AnyCall, act: (victim: Member) => Promise<Act>];
const theft = (call: AnyCall, act: (victim: Member) => Promise<Act>): Theft => [call, act];
/** A theft that needs no preparation. */
const plainly = (call: AnyCall, act: (victim: Member) => Promise<unknown>): Theft =>
  theft(call, async (victim) => () => act(victim));

const OF_THE_ACCOUNT: readonly Theft[] = [
  plainly(changePassword, (victim) => victim.call(changePassword, { current: PASSWORD, next: NEXT })),
  plainly(updateProfile, (victim) => victim.call(updateProfile, { display_name: 'Thief' })),
  plainly(updateSettings, (victim) => victim.call(updateSettings, { phone: numberOf(victim) })),
  plainly(changeUsername, (victim) => victim.call(changeUsername, { username: `other${victim.id}` })),
  plainly(
    requestDeletion,
    (victim) => victim.call(requestDeletion, { username: victim.username, password: PASSWORD }),
  ),
  plainly(becomePerformer, (victim) => victim.call(becomePerformer, { gender: 'f', accept_terms: true })),
  plainly(askForCopy, (victim) => victim.call(askForCopy, { password: PASSWORD })),
  theft(endDevice, async (victim) => {
    // The session of the next log-in.
    const mine = await site.anotherTabOf(victim);
    const { sessions: after } = await mine.call(listDevices, {});
    const next = Math.max(...after.map(({ id }) => id)) + 1;
    return async () => {
      await victim.call(endDevice, { id: next }).catch(async (error: unknown) => {
        // Undisturbed, nobody has logged in yet: the thief ends another session of the victim.
        const { problem } = error as { problem?: { errorType: string } };
        if (problem?.errorType !== 'session_unknown') throw error;
        await victim.call(endDevice, { id: next - 1 });
      });
    };
  }),
  theft(uploadAvatar, async (victim) => {
    const form = await withPicture();
    return () => victim.call(uploadAvatar, {}, { form });
  }),
  theft(removeAvatar, async (victim) => {
    await victim.call(uploadAvatar, {}, { form: await withPicture() });
    return () => victim.call(removeAvatar, {});
  }),
];

const OF_WAYS_IN: readonly Theft[] = [
  plainly(changeEmail, (victim) => victim.call(changeEmail, { email: `thief-${victim.id}@example.com` })),
  theft(resendEmail, async (victim) => {
    await victim.call(changeEmail, { email: `thief-${victim.id}@example.com` });
    return () => victim.call(resendEmail, {});
  }),
  theft(addPasskey, async (victim) => {
    const { ticket, options } = await victim.call(beginPasskey, {});
    const credential = new Authenticator().makes(options, ORIGIN);
    return () => victim.call(addPasskey, { ticket, name: 'Theirs', credential });
  }),
  theft(renamePasskey, async (victim) => {
    await ways.addsPasskey(victim);
    const id = (await victim.call(listPasskeys, {})).passkeys[0]?.id ?? 0;
    return () => victim.call(renamePasskey, { id, name: 'Harmless' });
  }),
  theft(removePasskey, async (victim) => {
    await ways.addsPasskey(victim);
    const id = (await victim.call(listPasskeys, {})).passkeys[0]?.id ?? 0;
    return () => victim.call(removePasskey, { id });
  }),
  plainly(confirmWaysIn, (victim) => victim.call(confirmWaysIn, {})),
  plainly(beginTwoFactor, (victim) => victim.call(beginTwoFactor, { password: PASSWORD })),
  theft(confirmTwoFactor, async (victim) => {
    const { secret } = await victim.call(beginTwoFactor, { password: PASSWORD });
    return () => victim.call(confirmTwoFactor, { code: ways.appCode(secret) });
  }),
  theft(renewRecoveryCodes, async (victim) => {
    const code = await ways.takesTwoSteps(victim);
    return () => victim.call(renewRecoveryCodes, { code: code() });
  }),
  theft(endTwoFactor, async (victim) => {
    const code = await ways.takesTwoSteps(victim);
    return () => victim.call(endTwoFactor, { password: PASSWORD, code: code() });
  }),
  theft(linkAccount, async (victim) => {
    const thief = await site.viewer();
    return () => victim.call(linkAccount, { login: thief.username, password: PASSWORD });
  }),
  theft(unlinkAccount, async (victim) => {
    const thief = await site.viewer();
    await victim.call(linkAccount, { login: thief.username, password: PASSWORD });
    return () => victim.call(unlinkAccount, { username: thief.username });
  }),
  theft(linkProvider, async (victim) => {
    await victim.call(finishProvider, { query: await ways.cameBack(victim, 'log_in', `thief-${victim.id}`) });
    return () => victim.call(linkProvider, {});
  }),
  theft(removeProvider, async (victim) => {
    await ways.linksProvider(victim);
    return () => victim.call(removeProvider, { provider: 'google' });
  }),
];

const OF_BEING_REACHED: readonly Theft[] = [
  plainly(registerPush, (victim) => victim.call(registerPush, push.subscription(`of-${victim.id}`))),
  theft(reportPush, async (victim) => {
    const { player_id: playerId } = await victim.call(registerPush, push.subscription(`of-${victim.id}`));
    return () => victim.call(reportPush, { player_id: playerId });
  }),
  plainly(
    setPreference,
    (victim) =>
      victim.call(setPreference, { kind: 'browse:notices.searchMatched', channel: 'push', on: false }),
  ),
  plainly(setNoticeOptions, (victim) => victim.call(setNoticeOptions, { push_discreet: false })),
  plainly(setSubscription, (victim) => victim.call(setSubscription, { on: false })),
  theft(sendPhoneCode, async (victim) => {
    await victim.call(updateSettings, { phone: numberOf(victim) });
    return () => victim.call(sendPhoneCode, {});
  }),
  theft(confirmPhone, async (victim) => {
    const code = await sendsCode(victim);
    return () => victim.call(confirmPhone, { code });
  }),
  theft(removePhone, async (victim) => {
    await victim.call(confirmPhone, { code: await sendsCode(victim) });
    return () => victim.call(removePhone, {});
  }),
  theft(registerPlayer, async (victim) => {
    await withProvider();
    const playerId = pushProvider.subscribe();
    return () => victim.call(registerPlayer, { player_id: playerId, app_id: pushProvider.appId });
  }),
];

const OF_STAFF: readonly Theft[] = [
  theft(setRole, async (victim) => {
    const { username } = await site.viewer();
    return () => victim.call(setRole, { username, role: 'site_mod', on: true, reason: 'stolen' });
  }),
  theft(suspendPerson, async (victim) => {
    const { username } = await site.viewer();
    return () => victim.call(suspendPerson, { username, suspended: true, reason: 'stolen' });
  }),
  theft(resetSecondStep, async (victim) => {
    const other = await site.admin({ roles: ['site_mod'] });
    for (const one of [victim, other]) {
      const { secret } = await one.call(beginTwoFactor, { password: PASSWORD });
      await one.call(confirmTwoFactor, { code: ways.appCode(secret) });
    }
    const { username } = other;
    const step = (await victim.call(getPerson, { username })).step_to_reset ?? '';
    return () => victim.call(resetSecondStep, { username, step, reason: 'stolen' });
  }),
  plainly(
    changePushProvider,
    (victim) => victim.call(changePushProvider, { ...pushProvider.settings, reason: 'stolen' }),
  ),
  theft(removePushProvider, async (victim) => {
    await withProvider();
    return () => victim.call(removePushProvider, { reason: 'stolen' });
  }),
];

/** Why a recovery need not overtake the other calls of members and staff. */
const HARMLESS: Readonly<Record<string, string>> = {
  'accounts.logoutEverywhere': 'is a recovery',
  'accounts.beginPasskey': 'hands out a challenge that its session alone can use',
  'accounts.switchAccount': 'lets somebody in: `accounts-entered.test.ts`',
  'accounts.becomeFirstAdmin': 'has a test of its own, below',
  'notices.endPush': 'ends a registration, and makes none',
  'notices.markNotice': 'what was read lets nobody in',
  'notices.markAllNotices': 'what was read lets nobody in',
  'notices.deleteNotice': 'what is listed lets nobody in',
};

/** Everything that both slices store except spent nonces, by table. */
async function stored(): Promise<Readonly<Record<string, string>>> {
  await site.settle();
  return site.tx(async (tx) => {
    const { rows } = await sql<{ name: string }>`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('accounts', 'notices') and table_type = 'BASE TABLE'
        and table_name <> 'spent_tokens' order by 1`.execute(tx.sql());
    const found: Record<string, string> = {};
    for (const { name } of rows) {
      const { rows: [row] } = await sql<{ all: string | null }>`
        select string_agg(to_jsonb(t)::text, ',' order by to_jsonb(t)::text) as all
        from ${sql.table(name)} t`.execute(tx.sql());
      found[name] = row?.all ?? '';
    }
    return found;
  });
}

/** Logs out everywhere in another browser, and logs in again, unless the account has two steps. */
async function recovers(owner: Member): Promise<void> {
  await owner.call(logoutEverywhere, {});
  const browser = await site.visitor();
  const given = { login: owner.username, password: PASSWORD };
  // The network is no longer known, so a code comes by email.
  await browser.refused(login, given);
  await site.settle();
  const code = /\d{6}/u.exec(await ways.lastTo(owner.person.email))?.[0] ?? '';
  await browser.call(login, { ...given, code }).catch(() => null);
}

/**
 * At each moment of the thief's call the owner logs out everywhere. Either the call finished before, and the
 * recovery undid it, or the call does nothing. Undisturbed, the call succeeds.
 */
async function expectNothing([call, prepare]: Theft, victims: () => Promise<Member>): Promise<void> {
  for (let at = 0; at < MOST_UNITS; at += 1) {
    const victim = await victims();
    const owner = await site.anotherTabOf(victim);
    const act = await prepare(victim);
    let before: Readonly<Record<string, string>> = {};
    const { hasHappened, isAnswered } = await overtaken(site, act, async () => {
      await recovers(owner);
      before = await stored();
    }, at);
    if (!hasHappened) {
      expect([call.name, at, isAnswered]).toEqual([call.name, at, true]);
      expect(at).toBeGreaterThan(0);
      return;
    }
    const after = await stored();
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect([call.name, at, changed]).toEqual([call.name, at, []]);
    if (at === 0) expect([call.name, isAnswered]).toEqual([call.name, false]);
  }
  throw new Error(`${call.name} has more units of work than ${MOST_UNITS}`);
}

const titled = (thefts: readonly Theft[]): readonly (readonly [string, Theft])[] =>
  thefts.map((theft) => [theft[0].name, theft]);

describe('a recovery overtakes a call of the account, its ways in and where its person is reached', () => {
  it.each(titled([...OF_THE_ACCOUNT, ...OF_WAYS_IN, ...OF_BEING_REACHED]))(
    '%s',
    (_name, theft) => expectNothing(theft, () => site.viewer()),
  );
});

describe('a recovery overtakes a call of staff', () => {
  it.each(titled(OF_STAFF))(
    '%s',
    (_name, theft) => expectNothing(theft, () => site.admin({ roles: ['super_admin'] })),
  );
});

it('every call with effects that members or staff make is overtaken here, or says why not', async () => {
  const declared = (await Promise.all(['accounts', 'notices'].map(declaredBy)))
    .flatMap((exported) => Object.values(exported))
    .filter((item): item is AnyCall =>
      typeof item === 'object' && item !== null && 'method' in item
      && 'effects' in item && item.effects === true && 'access' in item && item.access !== 'anyone'
    );
  const here = [...OF_THE_ACCOUNT, ...OF_WAYS_IN, ...OF_BEING_REACHED, ...OF_STAFF]
    .map(([{ name, access }]) => (access === 'anyone' ? [] : name)).flat();
  expect(declared.length).toBeGreaterThan(30);
  expect([...here, ...Object.keys(HARMLESS)].toSorted()).toEqual(declared.map(({ name }) => name).toSorted());
});

it('whoever reports the registration of the browser that stays', async () => {
  const thief = await site.viewer();
  const owner = await site.anotherTabOf(thief);
  const { player_id: playerId } = await owner.call(registerPush, push.subscription(`stays-${owner.id}`));
  const changes = () => owner.call(changePassword, { current: PASSWORD, next: NEXT });
  const reports = () => thief.call(reportPush, { player_id: playerId });
  const { isAnswered } = await overtaken(site, reports, changes, 0);
  expect(isAnswered).toBe(false);
});

it('whoever brings the link of the first admin', async () => {
  const fresh = await createSite();
  for (let at = 0;; at += 1) {
    const victim = await fresh.viewer();
    const owner = await fresh.anotherTabOf(victim);
    const token = await fresh.tx((tx) => fresh.services.accounts.firstAdminToken(tx)) ?? '';
    const { hasHappened, isAnswered } = await overtaken(
      fresh,
      () => victim.call(becomeFirstAdmin, { token }),
      () => owner.call(logoutEverywhere, {}),
      at,
    );
    const { roles = [] } = await fresh.tx((tx) => fresh.services.accounts.findById(tx, victim.id)) ?? {};
    expect([isAnswered, roles]).toEqual(hasHappened ? [false, []] : [true, ['super_admin']]);
    if (!hasHappened) break;
  }
  await fresh.close();
});

it('the copy of one’s data ends where its reader is logged out', async () => {
  const victim = await site.viewer();
  const owner = await site.anotherTabOf(victim);
  const { ticket } = await victim.call(askForCopy, { password: PASSWORD });
  // The call's first unit of work reads the first table.
  let isCut = false;
  const read = async (): Promise<void> => {
    const { body } = await victim.call(downloadCopy, { ticket }).catch(() => ({ body: '' }));
    isCut = !body.includes('"more"');
  };
  await overtaken(site, read, () => owner.call(logoutEverywhere, {}), 3);
  expect(isCut).toBe(true);
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
