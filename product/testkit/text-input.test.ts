import { pathFields, type AnyCall } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { createPromoCode } from '#product/billing/contract/operator.ts';
import { getHistory } from '#product/ledger/contract.ts';
import { chatMessage, sayInChat } from '#product/rooms/contract.ts';
import { listReceivedTips, listSentTips, listTipDays, sendTip } from '#product/tips/contract.ts';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declaredBySlices } from './contracts.ts';
import { createSite, type TestSite } from './site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'input' in value;
const UUID = '00000000-0000-4000-8000-000000000000';

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
}
/** Whether a field can be a text, or hold one. */
const mayBeText = (field: object): boolean => {
  const written = JSON.stringify(field);
  return ['"string"', '"items"', '"additionalProperties"', '{}'].some((mark) => written.includes(mark));
};
const textFields = (call: AnyCall): string[] => {
  const { properties = {} } = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return Object.entries(properties).flatMap(([name, field]) => (mayBeText(field) ? [name] : []));
};

describe('text that no database stores', () => {
  it('is refused by every call, in every field', async () => {
    const [performer, admin] = [await site.performer(), await site.admin()];
    const calls = (await declaredBySlices()).filter(isCall);
    const statuses = new Map<number, number>();
    for (const call of calls) {
      const others = Object.fromEntries(pathFields(call.path).map((name) => [name, '1']));
      const person = call.path.startsWith('/admin') ? admin : performer;
      for (const field of textFields(call)) {
        if (field === 'body' && !['POST', 'PATCH'].includes(call.method)) continue;
        // A lone surrogate has no percent-encoding (RFC 3986): a page cannot send one in an address.
        const isInBody = !call.media && ['POST', 'PATCH'].includes(call.method) && !(field in others);
        const { path, body } = requestOf(call, { ...others, [field]: isInBody ? 'a\uD800b' : 'a\u0000b' });
        const { statusCode } = await person.request({
          method: call.method,
          url: path,
          ...(body === null ? {} : { payload: body }),
          headers: {
            ...(body === null ? {} : { 'content-type': call.media?.accepts ?? 'application/json' }),
            'idempotency-key': UUID,
          },
        });
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        expect([call.name, field, statusCode >= 400 && statusCode < 500]).toEqual([call.name, field, true]);
      }
    }
    expect(statuses.get(422)).toBeGreaterThan(100);
  });

  it('is refused by name where it stands', async () => {
    const problem = await (await site.viewer()).refused(updateProfile, { about: 'a\u0000b' });
    expect([problem.status, problem.errorType]).toEqual([422, 'invalid_input']);
    expect(problem.issues).toMatchObject([{ path: 'about' }]);
  });

  it('is left out of what comes by a socket, and opens no room', async () => {
    const performer = await site.performer({ live: true });
    const socket = await (await site.viewer()).joins(performer);
    socket.sendRaw('["v3.chat.message",{"message":"a\\u0000b\\ud800c","\\u0000":"\\u0000"}]');
    expect((await socket.waitFor(chatMessage)).message).toBe('abc');
    const { port } = new URL(await site.address());
    const status = await new Promise<string>((resolve) => {
      const raw = connect(Number(port), '127.0.0.1', () =>
        raw.write(
          `GET /ws/room/%00 HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\n`
            + `Upgrade: websocket\r\nOrigin: http://localhost:${port}\r\nSec-WebSocket-Version: 13\r\n`
            + 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
        ));
      raw.on('data', (data) => {
        resolve(data.toString().split('\r\n', 1)[0] as string);
        raw.destroy();
      });
    });
    expect(status).toBe('HTTP/1.1 404 Not Found');
  });
});

describe('days and times that do not exist', () => {
  const wrong = [
    '2026-02-30',
    '2026-13-01',
    '2025-02-29',
    '0000-01-01',
    '9999-12-31',
    '2026-1-1',
    '2026-00-10',
  ];

  it.each(wrong)('are refused as an input: %s', async (day) => {
    const member = await site.performer();
    for (const [call, input] of [
      [listSentTips, { day }],
      [listReceivedTips, { day }],
      [listTipDays, { side: 'sent', before: day }],
    ] as const) {
      const problem = await member.refused(call, input);
      expect([call.name, problem.status, problem.errorType]).toEqual([call.name, 422, 'invalid_input']);
    }
    const month = await member.refused(getHistory, { month: day.slice(0, 7) === '2026-02' ? '2026-2' : day });
    expect(month.errorType).toBe('invalid_input');
    const code = await (await site.admin()).refused(createPromoCode, {
      code: 'SOMETHING',
      tokens: 1,
      max_uses: 1,
      starts_at: `${day}T00:00:00Z`,
      ends_at: null,
      reason: 'Test',
    });
    expect(code.errorType).toBe('invalid_input');
  });

  it('do not keep days that exist out', async () => {
    const member = await site.viewer();
    expect(await member.call(listSentTips, { day: '2024-02-29' })).toMatchObject({ tips: [] });
    expect(
      await member.call(listTipDays, { side: 'sent', before: '2026-02-28' }),
    ).toMatchObject({ days: [] });
  });
});

describe('card numbers', () => {
  const SPELLINGS = [
    '4111 1111 1111 1111 12/29 123',
    '12/29 4111111111111111 123',
    '4111.1111.1111.1111',
    '4111\u00A01111\u00A01111\u00A01111',
    '4111\n1111\n1111\n1111',
    '４１１１１１１１１１１１１１１１',
    '41111111111111115500005555555559',
    '4111\u200B1111\u200B1111\u200B1111',
    '4111–1111–1111–1111',
    '3782 822463 10005',
    '5555555555554444 cvv 123',
  ];

  it('are refused over HTTP, however they are written', async () => {
    const member = await site.viewer({ tokens: 100 });
    const performer = await site.performer({ live: true });
    for (const written of SPELLINGS) {
      for (const problem of [
        await member.refused(updateProfile, { about: `hi ${written}` }),
        await member.refused(sendTip, { username: performer.username, amount: 5, comment: written }, {
          idempotencyKey: UUID,
        }),
      ]) {
        expect([problem.status, problem.errorType]).toEqual([422, 'card_number_refused']);
        expect(problem.message).toBe(
          'This looks like a card number. Never enter card numbers here; use the card form.',
        );
      }
    }
  });

  it('are refused as Idempotency-Key', async () => {
    const member = await site.viewer({ tokens: 100 });
    const performer = await site.performer({ live: true });
    const tip = { username: performer.username, amount: 5 };
    for (const idempotencyKey of [
      '4111111111111111',
      'key-4111-1111-1111-1111',
      '4111111111111111-12/29-123',
    ]) {
      const problem = await member.refused(sendTip, tip, { idempotencyKey });
      expect([problem.status, problem.errorType]).toEqual([422, 'card_number_refused']);
    }
  });

  it('are refused in chat, and shown to nobody else', async () => {
    const performer = await site.performer({ live: true });
    const listener = await (await site.viewer()).joins(performer);
    for (const written of SPELLINGS) {
      const here = await (await site.viewer()).joins(performer);
      here.send(sayInChat, { message: `take ${written} ok` });
      const returned = await here.waitFor(chatMessage, ({ error }) => error ?? false);
      expect(returned).toMatchObject({
        id: 0,
        error: true,
        action: 'card_number',
        errorMessage: 'This looks like a card number, so it wasn’t sent. Never write card numbers in chat.',
      });
      expect(returned.message).not.toMatch(/1111|4444|１|0005/u);
    }
    const other = await (await site.viewer()).joins(performer);
    other.send(sayInChat, { message: 'nothing more' });
    await listener.waitFor(chatMessage, ({ message }) => message === 'nothing more');
    expect(listener.received(chatMessage).map(({ message }) => message)).toEqual(['nothing more']);
    expect(site.log.join('\n')).not.toMatch(/1111\D{0,3}1111/u);
  });

  it('are not found in what people write', async () => {
    const member = await site.viewer();
    for (const about of [
      'call +49 151 23456789 or 0044 20 7946 0958',
      'Kiss 10, Dance 25, Song 100; 10 20 30 40 50 60 70 80 90 100',
      '2026-11-23 05:36:01 - 2026-11-24 05:36:01',
      '01JD9ZK0T2C4V6B8N0M2Q4S6U8',
      '1763877600000',
    ]) {
      await member.call(updateProfile, { about });
      expect((await member.call(getCurrentUser, {})).user.about).toBe(about);
    }
  });
});
