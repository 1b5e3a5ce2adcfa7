import type { Problem } from '#platform/contract/client.ts';
import { hostileFiles, MARK } from '#platform/images/hostile-files.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, getCurrentUser } from './contract.ts';
import { getAvatar, removeAvatar, uploadAvatar } from './contract/avatar.ts';
import { accountChanged } from './contract/life/username.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const picture = (background = '#f841b5'): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 200, channels: 3, background } }).png().toBuffer();
const fileOf = (bytes: Uint8Array) => {
  const form = new FormData();
  form.set('file', new Blob([bytes]));
  return { form };
};
const upload = (who: Visitor, bytes: Uint8Array) => who.call(uploadAvatar, {}, fileOf(bytes));
const refusal = async (who: Visitor, bytes: Uint8Array) =>
  (await who.refused(uploadAvatar, {}, fileOf(bytes))).errorType;
const urlOf = async (who: Visitor) => (await who.call(getCurrentUser, {})).user.avatar_url;
/** Fetches an avatar as a page does: the URL has the key, and may have a size. */
const seen = (who: Visitor, url: string) => who.request({ method: 'GET', url });

/** Sends a form with these parts, as a program might that follows no rule. */
const sends = (who: Visitor, parts: readonly string[], type = 'multipart/form-data; boundary=edge') =>
  who.request({
    method: 'POST',
    url: '/api/v1/avatar/upload',
    headers: { 'content-type': type },
    payload: Buffer.from(`${parts.map((part) => `--edge\r\n${part}\r\n`).join('')}--edge--\r\n`, 'latin1'),
  });
const filePart = (bytes: Buffer, name = 'file', file = 'a.png'): string =>
  `Content-Disposition: form-data; name="${name}"; filename="${file}"\r\n`
  + `Content-Type: image/png\r\n\r\n${bytes.toString('latin1')}`;

describe('an avatar', () => {
  it('is sent as the file of a form, and answered with status, user.avatar and message [A-349]', async () => {
    const viewer = await site.viewer();
    expect(await urlOf(viewer)).toBeNull();
    const response = await sends(viewer, [filePart(await picture())]);
    expect(response.statusCode).toBe(200);
    const { user: { avatar }, ...rest } = response.json<{ user: { avatar: string } }>();
    expect(rest).toEqual({ status: 1, message: 'Picture saved' });
    expect(avatar).toMatch(/^\/avatars\/[\w-]{22}$/u);
    expect(await urlOf(viewer)).toBe(avatar);
    expect((await viewer.call(getAuthState, {})).user?.avatar_url).toBe(avatar);
    for (const [query, side] of [['', 100], ['?px=512', 512], ['?px=100', 100], ['?px=50', 50]] as const) {
      const shown = await seen(viewer, avatar + query);
      expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'image/webp']);
      expect(shown.headers['cache-control']).toBe('private, max-age=86400, immutable');
      expect(await sharp(shown.rawPayload).metadata())
        .toMatchObject({ format: 'webp', width: side, height: side });
    }
    expect((await seen(viewer, `${avatar}?px=51`)).statusCode).toBe(422);
    const key = avatar.slice('/avatars/'.length);
    expect(await viewer.call(getAvatar, { key, px: 50 })).toMatchObject({ status: 200 });
  });

  it('is exactly one file: none, two, or one in another field is refused [A-286]', async () => {
    const viewer = await site.viewer();
    const file = await picture();
    for (const parts of [
      [],
      [filePart(file), filePart(file)],
      [filePart(file, 'other')],
      [filePart(file), filePart(file, 'b')],
      ['Content-Disposition: form-data; name="file"\r\n\r\ntext'],
    ]) {
      const response = await sends(viewer, parts);
      expect([response.statusCode, response.json().errorType]).toEqual([422, 'one_file']);
    }
    expect(await urlOf(viewer)).toBeNull();
    const field = 'Content-Disposition: form-data; name="person_id"\r\n\r\n1';
    const more = await sends(viewer, [filePart(file), field]);
    expect([more.statusCode, more.json().errorType]).toEqual([422, 'invalid_input']);
    // The file's name and declared type decide nothing.
    expect((await sends(viewer, [filePart(file, 'file', '../../etc/passwd.svg')])).statusCode).toBe(200);
    expect((await sends(viewer, [filePart(Buffer.from('<svg/>'))])).json().errorType).toBe('picture_type');
  });

  it('that is no form is refused', async () => {
    const viewer = await site.viewer();
    const file = filePart(await picture());
    const outcome = async (type: string, parts = [file]) => {
      const { statusCode, json } = await sends(viewer, parts, type);
      return [statusCode, json<Problem>().errorType];
    };
    for (const more of ['', '; boundary=other', '; x']) {
      expect(await outcome(`multipart/form-data${more}`)).toEqual([400, 'malformed']);
    }
    expect(await outcome('multipart/form-data; boundary=edge', ['no header'])).toEqual([400, 'malformed']);
    for (const type of ['image/png', 'application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      expect(await outcome(type)).toEqual([415, 'media_unsupported']);
    }
    const large = await sends(viewer, [filePart(Buffer.alloc(13 * 1024 * 1024))]);
    expect([large.statusCode, large.json().errorType]).toEqual([413, 'too_large']);
  });

  it('replaces the one before, whose address and bytes are gone; every open tab learns of it', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const tab = await site.socketOf(await site.anotherTabOf(viewer));
    const apart = await site.socketOf(other);
    const { user: { avatar: first } } = await upload(viewer, await picture());
    // Equal pictures of two people are stored separately: one is removed, the other stays.
    const { user: { avatar: equal } } = await upload(other, await picture());
    expect(equal).not.toBe(first);
    const { user: { avatar: second } } = await upload(viewer, await picture('#00f'));
    await site.settle();
    expect((await seen(viewer, first)).statusCode).toBe(404);
    expect((await seen(viewer, second)).statusCode).toBe(200);
    const removed = await viewer.call(removeAvatar, {});
    expect(removed).toEqual({ status: 1, user: { avatar: null }, message: 'Picture removed' });
    await site.settle();
    expect(await urlOf(viewer)).toBeNull();
    expect((await seen(viewer, second)).statusCode).toBe(404);
    expect((await seen(viewer, equal)).statusCode).toBe(200);
    await tab.waitFor(accountChanged);
    expect([tab.received(accountChanged).length, apart.received(accountChanged).length]).toEqual([3, 1]);
    // Removing nothing does nothing.
    expect((await viewer.call(removeAvatar, {})).user.avatar).toBeNull();
  });

  it('leaves no bytes behind when it is replaced or removed', async () => {
    const ids = new Set<string>();
    const { put } = site.blobs;
    Object.assign(site.blobs, {
      put: async (bytes: Uint8Array, owner?: string) => {
        const id = await put(bytes, owner);
        ids.add(id);
        return id;
      },
    });
    const viewer = await site.viewer();
    await upload(viewer, await picture());
    await upload(viewer, await picture('#0f0'));
    await site.passes(1_000);
    const stored = async () =>
      (await Promise.all([...ids].map((id) => site.blobs.get(id)))).filter(Boolean).length;
    expect([ids.size, await stored()]).toEqual([6, 3]);
    await viewer.call(removeAvatar, {});
    await site.passes(1_000);
    expect(await stored()).toBe(0);
    Object.assign(site.blobs, { put });
  });
});

describe('only the own user', () => {
  it('changes or removes an avatar: nobody else, and nobody without an account [A-324]', async () => {
    const [owner, other] = [await site.viewer(), await site.viewer()];
    const { user: { avatar } } = await upload(owner, await picture());
    const guest = await site.visitor({ ofAge: true });
    expect(await refusal(guest, await picture())).toBe('not_authenticated');
    expect((await guest.refused(removeAvatar, {})).errorType).toBe('not_authenticated');
    // Nobody can name another person as the owner: the upload is the sender's own, or is refused.
    for (const url of [`?id=${owner.id}`, `?username=${owner.username}&user_id=${owner.id}`]) {
      const response = await other.request({
        method: 'POST',
        url: `/api/v1/avatar/upload${url}`,
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        payload: Buffer.from(`--edge\r\n${filePart(await picture('#0ff'))}\r\n--edge--\r\n`, 'latin1'),
      });
      expect([200, 422]).toContain(response.statusCode);
    }
    for (const field of ['id', 'user_id', 'username']) {
      const named = await sends(other, [
        filePart(await picture()),
        `Content-Disposition: form-data; name="${field}"\r\n\r\n${owner.id}`,
      ]);
      expect(named.statusCode).toBe(422);
    }
    await other.call(removeAvatar, {});
    const admin = await site.admin();
    await upload(admin, await picture('#fff'));
    expect((await admin.refused(removeAvatar, { id: owner.id })).errorType).toBe('invalid_input');
    // Neither does a page of another site, in the owner's own browser.
    const forged = await owner.request({
      method: 'POST',
      url: '/api/v1/avatar/upload',
      headers: { 'content-type': 'multipart/form-data; boundary=edge', 'x-csrf-token': undefined },
      payload: '--edge--\r\n',
    });
    expect([forged.statusCode, forged.json().errorType]).toEqual([403, 'csrf']);
    expect(await urlOf(owner)).toBe(avatar);
    expect((await seen(owner, avatar)).statusCode).toBe(200);
  });

  it('not even they, once they are suspended', async () => {
    const viewer = await site.viewer();
    const { user: { avatar } } = await upload(viewer, await picture());
    const order = { suspended: true, actorId: null, reason: 'x' };
    await site.tx((tx) => site.services.accounts.suspend(tx, viewer.id, order));
    expect((await viewer.refused(uploadAvatar, {}, fileOf(await picture()))).status).toBe(403);
    const stored = await site.tx((tx) => site.services.accounts.findById(tx, viewer.id));
    expect(stored?.avatarUrl).toBe(avatar);
    // Only admins see it, because they decide about it.
    expect((await seen(await site.viewer(), avatar)).statusCode).toBe(404);
    expect((await seen(await site.admin(), avatar)).statusCode).toBe(200);
  });
});

describe('who sees an avatar', () => {
  it('of a performer: whoever may perceive them, and themselves', async () => {
    const performer = await site.performer();
    const { user: { avatar } } = await upload(performer, await picture());
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['RO']));
    const viewer = await site.viewer();
    expect((await seen(viewer, avatar)).statusCode).toBe(200);
    const hidden = [
      await seen(await site.visitor({ region: 'RO', ofAge: true }), avatar),
      await seen(await site.visitor(), avatar),
      await seen(viewer, `/avatars/${'A'.repeat(22)}`),
    ];
    for (const { statusCode, json } of hidden) {
      const { reference: _reference, ...problem } = json();
      expect([statusCode, problem.errorType]).toEqual([404, 'avatar_unknown']);
      expect(problem).toEqual(hidden[0]!.json());
    }
    const uncleared = await site.performer({ cleared: false });
    const { user: { avatar: own } } = await upload(uncleared, await picture());
    expect((await seen(uncleared, own)).statusCode).toBe(200);
    expect((await seen(viewer, own)).statusCode).toBe(404);
  });

  it('of a viewer: whoever passed the entry gate, and themselves', async () => {
    const viewer = await site.viewer();
    const { user: { avatar } } = await upload(viewer, await picture());
    expect((await seen(await site.visitor(), avatar)).statusCode).toBe(404);
    expect((await seen(await site.visitor({ ofAge: true }), avatar)).statusCode).toBe(200);
  });
});

describe('files that are no avatar', () => {
  it('are refused with the words of the specification', async () => {
    const viewer = await site.viewer();
    const textOf = async (bytes: Uint8Array) =>
      (await viewer.refused(uploadAvatar, {}, fileOf(bytes))).message;
    for (const text of ['<html><script>alert(1)</script>', '%PDF-1.7', '']) {
      expect(await textOf(Buffer.from(text))).toBe('Only image files are supported.');
    }
    const square = sharp(await picture());
    for (const bytes of [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      await square.clone().tiff().toBuffer(),
      await square.clone().avif().toBuffer(),
    ]) {
      expect(await textOf(bytes)).toBe('Only PNG, JPG, WEBP or GIF files are supported.');
    }
    const german = await site.visitor({ language: 'de', ofAge: true });
    const problem = await german.refused(uploadAvatar, {}, fileOf(await picture()));
    expect(problem.status).toBe(401);
    expect(await urlOf(viewer)).toBeNull();
  });

  it('never end the process, and nothing of them but pixels is served', async () => {
    const { pictures, hostile } = await hostileFiles();
    // All pictures and a third of the hostile files, shared among people because each may upload only a few.
    const some = [...pictures, ...hostile.filter((_one, nth) => nth % 3 === 0)];
    const people: Member[] = [];
    for (let nth = 0; nth < Math.ceil(some.length / 18); nth += 1) people.push(await site.viewer());
    const outcomes = new Set<string>();
    for (const [nth, { name, bytes }] of some.entries()) {
      const who = people[nth % people.length]!;
      const response = await sends(who, [filePart(Buffer.from(bytes))]);
      expect([name, [200, 413, 422].includes(response.statusCode)]).toEqual([name, true]);
      outcomes.add(response.statusCode === 200 ? 'made' : response.json().errorType);
      if (response.statusCode !== 200) continue;
      const shown = await seen(who, response.json().user.avatar);
      expect([name, shown.statusCode, shown.rawPayload.includes(MARK)]).toEqual([name, 200, false]);
      expect(shown.rawPayload.readUInt32LE(4) + 8).toBe(shown.rawPayload.length);
    }
    expect(outcomes).toEqual(
      new Set([
        'made',
        'picture_not_image',
        'picture_type',
        'picture_too_large',
        'picture_unreadable',
        'too_large',
      ]),
    );
  }, 120_000);

  it('are limited: the twenty-first in five minutes waits', async () => {
    const viewer = await site.viewer();
    const text = Buffer.from('text');
    for (let nth = 0; nth < 20; nth += 1) expect(await refusal(viewer, text)).toBe('picture_not_image');
    expect(await refusal(viewer, text)).toBe('too_many_requests');
  });
});
