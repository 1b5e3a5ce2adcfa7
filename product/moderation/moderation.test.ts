import type { InputOf } from '#platform/contract/call.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { removeAvatar, uploadAvatar } from '#product/accounts/contract/avatar.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { savePictures, uploadPicture } from '#product/performers/contract/pictures.ts';
import {
  deleteRecording,
  setOfflineVideo,
  startRecording,
  stopRecording,
} from '#product/recordings/contract.ts';
import { removeMessages } from '#product/room-moderation/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import { clubMember, clubOwner, posts } from '#product/testkit/fan-club.ts';
import { endsPrivate, mediaPasses } from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeReport, getReportedPicture, listReports, sendReport, type ReportView } from './contract.ts';
import { MAX_OPEN_REPORTS, REPORTS_PAGE } from './rules.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

type Draft = Partial<InputOf<typeof sendReport>>;
const draft = (of: { username: string }, more: Draft = {}): InputOf<typeof sendReport> => ({
  kind: 'person',
  username: of.username,
  reason: 'spam',
  details: '',
  ...more,
});
const reports = (who: Visitor, of: { username: string }, more: Draft = {}) =>
  who.call(sendReport, draft(of, more));
const refused = async (who: Visitor, of: { username: string }, more: Draft = {}): Promise<string> =>
  (await who.refused(sendReport, draft(of, more))).errorType;
/** Open reports about a person, newest first. */
const openOn = async ({ username }: { username: string }): Promise<readonly ReportView[]> =>
  (await admin.call(listReports, {})).reports.filter((report) => report.username === username);

/** The blob that a report refers to; null if it has none now. */
const blobOf = async (id = 0): Promise<{ blob: string }> =>
  (await site.tx((tx) =>
    sql<{ blob: string }>`
  select picture_blob as blob from moderation.reports where id = ${id}`.execute(tx.sql())
  )).rows[0] as never;

/** An image of one colour, as a page sends it. */
async function formOf(background: string) {
  const picture = sharp({ create: { width: 300, height: 300, channels: 3, background } });
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(await picture.png().toBuffer())]));
  return { form };
}

describe('what is reported', () => {
  it('is stored as it stood then, whatever becomes of it', async () => {
    const [performer, author, reader] = [
      await site.performer({ live: true }),
      await site.viewer(),
      await site.viewer(),
    ];
    const [theirs, socket] = [await author.joins(performer), await reader.joins(performer)];
    const said = await site.says(theirs, 'Look at this site');
    await site.says(socket, 'I was here too');
    // The text is the server's; the reporter's words are stored separately.
    await reports(reader, performer, { kind: 'message', id: said.id, details: ' It says\nsomething bad ' });
    await performer.call(removeMessages, { username: performer.username, ids: [said.id] });
    const [report] = await openOn(author);
    expect(report).toMatchObject({
      kind: 'message',
      username: author.username,
      room: performer.username,
      target_id: said.id,
      snapshot: 'Look at this site',
      reporter: reader.username,
      reason: 'spam',
      is_urgent: false,
      details: 'It says\nsomething bad',
      at: site.clock.now().toISOString(),
      closed_at: null,
    });
    // Content that no longer exists cannot be reported, and nobody can report themselves.
    expect(await refused(await site.viewer(), performer, { kind: 'message', id: said.id }))
      .toBe('reported_unknown');
    expect(await refused(reader, reader)).toBe('own_report');
    await performer.call(updateProfile, { about: 'I like rain' });
    await reports(reader, performer, { kind: 'bio', reason: 'underage' });
    await performer.call(updateProfile, { about: 'I like sun' });
    expect((await openOn(performer))[0]).toMatchObject({
      kind: 'bio',
      room: null,
      is_urgent: true,
      snapshot: expect.stringContaining('I like rain'),
    });
  });

  it('is what the reporter sees: not a chat of two, a locked post, or somebody who is hidden', async () => {
    const { performer, viewer } = await spiedShow(site);
    const outsider = await site.viewer();
    const { spy } = await spies(site, performer);
    // The spies read along once the free preview is over.
    await mediaPasses(site, performer, 13);
    const theirs = await viewer.joins(performer);
    await site.settle();
    const { chat } = await theirs.waitFor(showChatState, (state) => state.chat !== null);
    const within = chat?.key ?? '';
    theirs.send(sayInShow, { chat: within, message: 'this is between us' });
    for (let tries = 0; tries < 500 && theirs.received(showMessage).length === 0; tries += 1) {
      await site.settle();
    }
    const { message: { id } } = await theirs.waitFor(showMessage);
    const asked = { kind: 'message', id, within } as const;
    expect(await refused(outsider, performer, asked)).toBe('reported_unknown');
    expect(await refused(await site.visitor({ ofAge: true }), performer, asked)).toBe('reported_unknown');
    expect(await refused(outsider, performer, { ...asked, within: 'private:999999' }))
      .toBe('reported_unknown');
    for (const who of [performer, spy]) await reports(who, performer, asked);
    expect((await openOn(viewer)).map(({ snapshot }) => snapshot))
      .toEqual(['this is between us', 'this is between us']);
    // The show has no running meter while days pass.
    await endsPrivate(viewer, performer);
    const owner = await clubOwner(site);
    const post = await posts(owner, 'For my insiders', 'insider');
    expect(await refused(outsider, owner, { kind: 'post', id: post.id })).toBe('reported_unknown');
    // Another performer has no post with this id.
    const insider = await clubMember(site, owner, 'insider');
    expect(await refused(insider, performer, { kind: 'post', id: post.id })).toBe('reported_unknown');
    await reports(insider, owner, { kind: 'post', id: post.id });
    expect((await openOn(owner))[0]).toMatchObject({ kind: 'post', snapshot: 'For my insiders' });
    const hidden = await site.performer({ cleared: false });
    for (const kind of ['person', 'room', 'bio'] as const) {
      expect(await refused(outsider, hidden, { kind })).toBe('reported_unknown');
    }
    expect(await refused(outsider, { username: 'nobody_here' })).toBe('reported_unknown');
    for (const kind of ['picture', 'recording', 'post'] as const) {
      expect(await refused(outsider, performer, { kind, id: 999_999 })).toBe('reported_unknown');
      expect(await refused(outsider, performer, { kind })).toBe('reported_unknown');
    }
  });

  it('is stored once while it is open, needs words for another reason, and is bounded', async () => {
    const [reader, subject] = [await site.viewer(), await site.viewer()];
    for (const _again of [1, 2]) await reports(reader, subject);
    expect(await openOn(subject)).toHaveLength(1);
    expect(await refused(reader, subject, { reason: 'other', details: '  ' })).toBe('details_missing');
    await reports(reader, subject, { reason: 'other', details: 'A threat' });
    expect(await openOn(subject)).toHaveLength(2);
    // Guests may report, and are not named.
    await reports(await site.visitor({ ofAge: true }), subject, { reason: 'underage' });
    expect((await openOn(subject))[0]).toMatchObject({ reporter: null, is_urgent: true });
    const crowd = await Promise.all(Array.from({ length: MAX_OPEN_REPORTS - 2 }, () => site.viewer()));
    for (const [at, one] of crowd.entries()) {
      const tab = await site.anotherTabOf(reader, { address: `127.9.1.${at + 1}` });
      await reports(tab, one);
    }
    const tab = await site.anotherTabOf(reader, { address: '127.9.2.1' });
    expect(await refused(tab, await site.viewer())).toBe('too_many_reports');
    // Twenty an hour are accepted from one address.
    const flood = await site.anotherTabOf(await site.viewer(), { address: '127.9.3.1' });
    for (let at = 0; at < 20; at += 1) await reports(flood, subject);
    expect((await flood.refused(sendReport, draft(subject))).status).toBe(429);
  });
});

describe('reports of guests', () => {
  const guestFrom = (address: string) => site.visitor({ ofAge: true, address });
  const crowd = () => site.viewer();

  it('are bounded by network, and one of the same thing is stored once', async () => {
    const subject = await crowd();
    const guest = await guestFrom('127.51.100.7');
    await reports(guest, subject);
    // This address belongs to the same network.
    await reports(await guestFrom('127.51.100.99'), subject);
    expect(await openOn(subject)).toHaveLength(1);
    await reports(await guestFrom('127.51.101.1'), subject);
    expect(await openOn(subject)).toHaveLength(2);
    for (let at = 1; at < MAX_OPEN_REPORTS; at += 1) {
      await reports(await guestFrom(`127.51.100.${at}`), await crowd());
    }
    expect(await refused(await guestFrom('127.51.100.200'), await crowd())).toBe('too_many_reports');
    const [closed] = await openOn(subject);
    await admin.call(closeReport, { id: closed?.id ?? 0, outcome: 'no_violation', note: 'Nothing there' });
    // A closed report no longer stores its network.
    const { rows } = await site.tx((tx) =>
      sql`
      select network from moderation.reports where id = ${closed?.id ?? 0}`.execute(tx.sql())
    );
    expect(rows).toEqual([{ network: null }]);
  });

  it('are not shut out by somebody who fills the queue from many networks', async () => {
    const subject = await crowd();
    await site.tx((tx) =>
      sql`
      insert into moderation.reports (operator_id, kind, subject_id, room_id, snapshot, reason, details, at,
        network)
      select ${tx.operatorId}, 'person', ${subject.id}, ${subject.id}, '', 'spam', 'flood ' || n, ${tx.now},
        '127.203.' || (n % 66) || '.0/24'
      from generate_series(1, 2000) n`.execute(tx.sql())
    );
    const countOf = async (): Promise<number> =>
      Number(
        (await site.tx((tx) =>
          sql<{ n: string }>`
      select count(*) as n from moderation.reports where closed_at is null and reporter_id is null`
            .execute(tx.sql())
        )).rows[0]?.n,
      );
    const before = await countOf();
    const victim = await crowd();
    await reports(await guestFrom('127.192.2.9'), victim, { reason: 'underage' });
    expect((await openOn(victim))[0]).toMatchObject({ reporter: null, is_urgent: true });
    expect(await countOf()).toBe(before);
    // A network that is part of the flood gets no more reports in.
    expect(await refused(await guestFrom('127.203.5.77'), victim)).toBe('too_many_reports');
    await site.tx((tx) => sql`delete from moderation.reports where details like 'flood %'`.execute(tx.sql()));
  });

  it('that give way to others let go what its performer deleted', async () => {
    const performer = await site.performer({ live: true });
    const { id } = await performer.call(startRecording, { consent: true });
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    site.outputs.film(stream ?? '', 10);
    await performer.call(stopRecording, {});
    await performer.call(setOfflineVideo, { recording_id: id });
    await (await guestFrom('127.204.1.7')).call(sendReport, {
      kind: 'room',
      username: performer.username,
      reason: 'spam',
      details: '',
    });
    await performer.call(deleteRecording, { id });
    await site.settle();
    const files = () => readdirSync(join(site.folder, 'kept', '1'));
    expect(files()).toHaveLength(1);
    // Urgent reports of the same network would be displaced only after it.
    await site.tx((tx) =>
      sql`
      insert into moderation.reports (operator_id, kind, subject_id, room_id, snapshot, reason, details, at,
        network)
      select ${tx.operatorId}, 'person', ${performer.id}, ${performer.id}, '', 'underage', 'flood ' || n,
        ${tx.now}, '127.204.' || (n % 66) || '.0/24'
      from generate_series(1, 2000) n`.execute(tx.sql())
    );
    await reports(await guestFrom('127.192.3.9'), await crowd());
    await site.settle();
    expect(files()).toEqual([]);
    await site.tx((tx) => sql`delete from moderation.reports where details like 'flood %'`.execute(tx.sql()));
  });
});

describe('a picture', () => {
  it('is judged though it was deleted: the report has a copy, for admins alone', async () => {
    const [performer, reader] = [await site.performer({ live: true }), await site.viewer()];
    const { pictures } = await performer.call(uploadPicture, {}, await formOf('#31c3b4'));
    const id = pictures[0]?.id ?? 0;
    await reports(reader, performer, { kind: 'picture', id });
    await reports(await site.viewer(), performer, { kind: 'picture', id, reason: 'illegal' });
    await performer.call(savePictures, { pictures: [] });
    await site.settle();
    const [second, first] = await openOn(performer);
    expect([first?.has_picture, second?.has_picture]).toEqual([true, true]);
    const address = { id: first?.id ?? 0 };
    const copy = await admin.request({ method: 'GET', url: `/api/v1/admin/reports/${address.id}/picture` });
    expect(copy.headers['cache-control']).toBe('private, no-store');
    expect(await sharp(copy.rawPayload).metadata())
      .toMatchObject({ format: 'webp', width: 300, height: 300 });
    for (const who of [reader, performer, await site.viewer({ roles: ['site_mod'] })]) {
      expect((await who.refused(getReportedPicture, address)).status).toBe(403);
    }
    const { rows } = await site.tx((tx) =>
      sql`select actor_id from platform.audit
      where action = 'moderation.look' and subject = ${`report:${address.id}`}`.execute(tx.sql())
    );
    expect(rows).toEqual([{ actor_id: admin.id }]);
    // A report about text has no picture.
    await reports(await site.viewer(), performer, { kind: 'room' });
    const [words] = await openOn(performer);
    expect(words?.has_picture).toBe(false);
    const unknown = await admin.refused(getReportedPicture, { id: words?.id ?? 0 });
    expect(unknown.errorType).toBe('report_unknown');
  });
});

describe('the queue', () => {
  it('is read by admins page by page, and each is closed once, with an outcome, in the audit', async () => {
    const [subject, other] = [await site.viewer(), await site.admin()];
    for (let at = 0; at <= REPORTS_PAGE; at += 1) await reports(await site.viewer(), subject);
    const ids: number[] = [];
    let before: number | null = null;
    do {
      const page: Awaited<ReturnType<typeof admin.call<typeof listReports>>> = await admin.call(listReports, {
        reason: 'spam',
        ...(before === null ? {} : { before }),
      });
      expect(page.reports.length).toBeLessThanOrEqual(REPORTS_PAGE);
      ids.push(...page.reports.filter(({ username }) => username === subject.username).map(({ id }) => id));
      before = page.next;
    } while (before !== null);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
    expect(ids).toHaveLength(REPORTS_PAGE + 1);
    const id = ids[0] ?? 0;
    const closing = { id, outcome: 'warned', note: 'Asked them to stop' } as const;
    const moderator = await site.viewer({ roles: ['site_mod'] });
    for (const who of [await site.viewer(), await site.performer(), moderator]) {
      expect([(await who.refused(listReports, {})).status, (await who.refused(closeReport, closing)).status])
        .toEqual([403, 403]);
    }
    expect(await admin.call(closeReport, closing)).toMatchObject({
      outcome: 'warned',
      note: 'Asked them to stop',
      closed_by: admin.username,
      closed_at: site.clock.now().toISOString(),
    });
    expect((await other.refused(closeReport, { ...closing, outcome: 'no_violation' })).errorType)
      .toBe('report_closed');
    expect((await admin.refused(closeReport, { ...closing, id: 999_999 })).errorType).toBe('report_unknown');
    const { reports: closed } = await admin.call(listReports, { closed: true });
    expect(closed.map((item) => item.id)).toContain(id);
    expect((await openOn(subject)).map((item) => item.id)).not.toContain(id);
    const { rows } = await site.tx((tx) =>
      sql`select actor_id, reason from platform.audit
      where action = 'moderation.close' and subject = ${`report:${id}`}`.execute(tx.sql())
    );
    expect(rows).toEqual([{ actor_id: admin.id, reason: 'warned' }]);
    // Nobody may decide on a report about themselves.
    await reports(await site.viewer(), other);
    const own = (await openOn(other))[0]?.id ?? 0;
    expect((await other.refused(closeReport, { ...closing, id: own })).errorType).toBe('own_report');
  });
});

describe('erasure', () => {
  it('keeps a report without the words of who is erased, and closed ones for a year', async () => {
    // A separate site where nobody is live, because days pass.
    await site.close();
    site = await createSite();
    admin = await site.admin();
    const [reader, subject] = [await site.viewer(), await site.viewer()];
    await subject.call(updateProfile, { about: 'zephyr of the subject' });
    await reports(reader, subject, { details: 'zephyr of the reporter' });
    const [report] = await openOn(subject);
    const id = report?.id ?? 0;
    await admin.call(closeReport, { id, outcome: 'removed', note: 'zephyr of the admin' });
    const rowOf = async () =>
      (await site.tx((tx) =>
        sql<Record<string, unknown>>`
      select snapshot, details, note, reporter_id, outcome from moderation.reports where id = ${id}`
          .execute(tx.sql())
      )).rows[0];
    const leaves = (who: Member) =>
      who.call(requestDeletion, { username: who.username, password: 'correct horse battery' });
    await leaves(reader);
    await site.passes(15 * DAY_MS);
    await leaves(subject);
    await site.passes(16 * DAY_MS);
    expect(await rowOf()).toMatchObject({ reporter_id: null, details: '', outcome: 'removed' });
    await site.passes(15 * DAY_MS);
    expect(await rowOf()).toMatchObject({ snapshot: '', note: '', outcome: 'removed' });
    await site.tx((tx) =>
      sql`update moderation.reports set closed_at = closed_at - interval '366 days'
      where id = ${id}`.execute(tx.sql())
    );
    await reports(await site.viewer(), await site.viewer());
    expect(await rowOf()).toBeUndefined();
  });
});

it('the avatar of who is reported is copied too, and goes when its person is erased', async () => {
  // Days have passed: earlier log-ins have expired.
  admin = await site.admin();
  const [subject, reader] = [await site.viewer(), await site.viewer()];
  await subject.call(uploadAvatar, {}, await formOf('#c0392b'));
  await reports(reader, subject, { reason: 'illegal' });
  await subject.call(removeAvatar, {});
  await site.settle();
  const [report] = await openOn(subject);
  const url = `/api/v1/admin/reports/${report?.id}/picture`;
  const shown = async () => {
    const { rawPayload } = await admin.request({ method: 'GET', url });
    return (await sharp(rawPayload).stats()).dominant;
  };
  expect((await shown()).r).toBeGreaterThan(160);
  const { blob } = await blobOf(report?.id);
  expect(await site.blobs.get(blob)).not.toBeNull();
  await subject.call(requestDeletion, {
    username: subject.username,
    password: 'correct horse battery',
  });
  await site.passes(31 * DAY_MS);
  await site.settle();
  expect([(await blobOf(report?.id)).blob, await site.blobs.get(blob)]).toEqual([null, null]);
});
