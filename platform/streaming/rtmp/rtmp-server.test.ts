import { systemClock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MESSAGE, writeMessage } from '../wire/rtmp/rtmp-chunks.ts';
import { amfObject, writeCommand } from '../wire/rtmp/rtmp-commands.ts';
import { codes, GOOD_KEY, greeting, Ingest, ingest } from './testing.ts';

describe('a client with a good key', () => {
  const forms = ['plain', 'digest'] as const;
  it.each(forms)('publishes after a %s handshake, and its media comes whole', async (form) => {
    const server = await ingest();
    const client = server.client();
    await client.shakeHands(form);
    expect(codes(await client.publish(`${GOOD_KEY}?bandwidthtest=true`)))
      .toEqual(['NetConnection.Connect.Success', 'NetStream.Publish.Start']);
    expect(client.seen.value!.isSigned).toBe(form === 'digest');
    expect(server.seen.value!.asked).toEqual([{ key: GOOD_KEY, app: 'live', address: '127.0.0.1' }]);
    const picture = randomBytes(300_000);
    await client.send(MESSAGE.video, 0x01000000, picture);
    await client.send(MESSAGE.audio, 40, Buffer.from([0xaf, 1, 9]));
    const { media } = await server.seen.until('media', (seen) => seen.media.length === 2);
    expect(media).toMatchObject([
      { type: MESSAGE.video, timestamp: 0x01000000 },
      { type: MESSAGE.audio, timestamp: 40 },
    ]);
    expect(media[0]!.payload.equals(picture)).toBe(true);
    client.close();
    await server.seen.until('the sink is closed', (seen) => seen.closed === 1 && seen.meant === 0);
  });

  it('that sends its media along with its question has it read after the answer', async () => {
    const server = await new Ingest(systemClock, true).start();
    const early = writeMessage({
      chunkStream: 6,
      type: MESSAGE.video,
      stream: 1,
      timestamp: 1,
      payload: Buffer.from([0x17, 0]),
    }, 128);
    server.raw(Buffer.concat([greeting(), writeCommand(1, 'publish', 5, null, GOOD_KEY, 'live'), early]));
    await server.seen.until('the question', (seen) => seen.asked.length === 1);
    expect(server.seen.value!.media).toEqual([]);
    server.answerHeld();
    await server.seen.until('its media', (seen) => seen.media.length === 1);
  });

  it('gets answers to pings and acknowledgements of what it sent', async () => {
    const server = await ingest();
    const client = await server.publisher();
    const ping = Buffer.from([0, 6, 0, 0, 0, 9]);
    client.sendRaw(writeMessage({
      chunkStream: 2,
      type: MESSAGE.userControl,
      stream: 0,
      timestamp: 0,
      payload: ping,
    }, 128));
    const window = Buffer.from([0, 0, 0x10, 0]);
    client.sendRaw(writeMessage({
      chunkStream: 2,
      type: MESSAGE.windowSize,
      stream: 0,
      timestamp: 0,
      payload: window,
    }, 128));
    await client.send(MESSAGE.video, 0, Buffer.alloc(8_000));
    const { messages } = await client.seen.until(
      'an acknowledgement',
      (view) => view.messages.includes(MESSAGE.acknowledgement),
    );
    // The beginning of the stream, and the pong.
    expect(messages.filter((type) => type === MESSAGE.userControl)).toHaveLength(2);
  });

  it.each(
    [
      ['FCUnpublish', 0, [null, GOOD_KEY]],
      ['deleteStream', 0, [null, 1]],
      ['closeStream', 1, [null]],
    ] as const,
  )('says that it ends by %s: it is meant, and confirmed', async (name, stream, values) => {
    const server = await ingest();
    const client = await server.publisher();
    client.command(stream, name, 6, ...values);
    expect(codes(await client.closed())).toContain('NetStream.Unpublish.Success');
    await server.seen.until('the sink is closed', (seen) => seen.closed === 1 && seen.meant === 1);
  });

  it('gets the reason when its stream is ended', async () => {
    const server = await ingest();
    const client = await server.publisher();
    server.refusals[0]!('Somebody else publishes here.');
    const { statuses } = await client.closed();
    const description = 'Somebody else publishes here.';
    expect(statuses.at(-1)).toEqual({ code: 'NetStream.Publish.BadName', description });
  });
});

describe('refused with a reason and closed', () => {
  it('is a wrong key, and nothing of its media is taken', async () => {
    const server = await ingest();
    const client = server.client();
    await client.publish('another-key');
    const { statuses } = await client.closed();
    const description = 'This key is not known.';
    expect(statuses.at(-1)).toEqual({ code: 'NetStream.Publish.BadName', description });
    expect(server.seen.value).toMatchObject({ media: [], errors: [] });
  });

  it.each([['an empty key', ''], ['a key with spaces', 'a key'], ['an endless key', 'k'.repeat(300)]])(
    'is %s, which nobody is asked about',
    async (_name, key) => {
      const server = await ingest();
      const client = server.client();
      await client.publish(key);
      expect(codes(await client.closed()).at(-1)).toBe('NetStream.Publish.BadName');
      expect(server.seen.value!.asked).toEqual([]);
    },
  );

  it('is another application', async () => {
    const server = await ingest();
    const client = server.client();
    await client.shakeHands();
    client.command(0, 'connect', 1, amfObject({ app: 'vod' }));
    expect(codes(await client.closed())).toEqual(['NetConnection.Connect.InvalidApp']);
  });

  it('is a recording', async () => {
    const server = await ingest();
    server.raw(Buffer.alloc(0));
    const client = server.client();
    await client.shakeHands();
    client.command(0, 'connect', 1, amfObject({ app: 'live/' }));
    await client.replied(1);
    client.command(1, 'publish', 5, null, GOOD_KEY, 'record');
    expect(codes(await client.closed()).at(-1)).toBe('NetStream.Publish.BadName');
  });

  it.each(['before', 'after'])('is play, %s it published', async (when) => {
    const server = await ingest();
    const client = when === 'after' ? await server.publisher() : server.client();
    if (when === 'before') {
      await client.shakeHands();
      client.command(0, 'connect', 1, amfObject({ app: 'live' }));
      await client.replied(1);
    }
    client.command(1, 'play', 5, null, GOOD_KEY);
    expect(codes(await client.closed()).at(-1)).toBe('NetStream.Play.Failed');
  });

  it('is a second publish', async () => {
    const server = await ingest();
    const client = await server.publisher();
    client.command(1, 'publish', 9, null, GOOD_KEY, 'live');
    expect(codes(await client.closed()).at(-1)).toBe('NetStream.Publish.BadName');
    expect(server.seen.value!.asked).toHaveLength(1);
  });
});
