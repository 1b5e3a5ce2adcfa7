import { CallFailed, type Problem } from '#platform/contract/client.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SHARPEST } from '../../rules/upload.ts';
import { publishStream, type Publisher, type PublisherPhase } from './whip-publisher.ts';

const problem = (status: number, errorType: string): Problem => ({
  status,
  error: errorType,
  errorType,
  error_type: errorType,
  message: errorType,
  type: '',
  title: '',
  detail: '',
});

interface FakeSender {
  readonly track: { readonly kind: string };
  parameters: { encodings: { maxBitrate?: number }[] };
  readonly getParameters: () => FakeSender['parameters'];
  readonly setParameters: (parameters: FakeSender['parameters']) => Promise<void>;
}

/** A browser connection without a network; tests set its state. */
class FakePeer {
  static made: FakePeer[] = [];
  readonly settings: RTCConfiguration;
  readonly senders: FakeSender[] = [];
  connectionState = 'new';
  localDescription: { sdp: string } | null = null;
  onconnectionstatechange: () => void = () => {};
  closed = false;

  constructor(settings: RTCConfiguration) {
    this.settings = settings;
    FakePeer.made.push(this);
  }

  addTransceiver(
    track: { kind: string },
    { sendEncodings = [{}] }: { sendEncodings?: { maxBitrate?: number }[] },
  ): object {
    const sender: FakeSender = {
      track,
      parameters: { encodings: sendEncodings },
      getParameters: () => sender.parameters,
      setParameters: async (parameters) => {
        sender.parameters = parameters;
      },
    };
    this.senders.push(sender);
    return {};
  }

  getSenders = (): FakeSender[] => this.senders;
  createOffer = async (): Promise<object> => ({ type: 'offer', sdp: 'v=0' });
  setLocalDescription = async (): Promise<void> => void (this.localDescription = { sdp: 'v=0' });
  setRemoteDescription = async (): Promise<void> => {};
  close = (): void => void (this.closed = true);

  becomes(state: string): void {
    this.connectionState = state;
    this.onconnectionstatechange();
  }
}

const media = { getTracks: () => [{ kind: 'video' }, { kind: 'audio' }] } as unknown as MediaStream;
const ICE = [{ urls: ['turn:turn.example'], username: 'u', credential: 'c' }];

let answers: number[] = [];
let keys = 0;
let phases: PublisherPhase[] = [];
let running: Publisher | null = null;

const peer = (): FakePeer => {
  const last = FakePeer.made.at(-1);
  if (!last) throw new Error('the page has made no connection');
  return last;
};
const settles = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

async function publishes(reconnects = true): Promise<Publisher> {
  running = publishStream({
    media,
    bitrate: 1_200,
    reconnects,
    createKey: async () => {
      keys += 1;
      return { stream_key: `bk_${keys}`, whip_url: 'https://cam.example/whip', ice_servers: ICE };
    },
    onPhase: (phase) => phases.push(phase),
  });
  await settles();
  return running;
}

beforeEach(() => {
  vi.useFakeTimers();
  FakePeer.made = [];
  answers = [];
  keys = 0;
  phases = [];
  vi.stubGlobal('RTCPeerConnection', FakePeer);
  vi.stubGlobal('RTCRtpSender', { getCapabilities: () => null });
  vi.stubGlobal('fetch', async () => {
    const status = answers.shift() ?? 201;
    return { status, text: async () => 'v=0', json: async () => problem(status, `status_${status}`) };
  });
});
afterEach(() => {
  running?.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a page that publishes', () => {
  it('uses the given ICE servers and the given maximum bit rate', async () => {
    const publisher = await publishes();
    expect(peer().settings).toEqual({ iceServers: ICE });
    const limits = (): (number | undefined)[] =>
      peer().senders.map(({ parameters }) => parameters.encodings[0]?.maxBitrate);
    expect(limits()).toEqual([1_200_000, undefined]);
    await publisher.setBitrate(600);
    expect(limits()).toEqual([600_000, undefined]);
    peer().becomes('failed');
    await vi.advanceTimersByTimeAsync(500);
    expect(limits()).toEqual([600_000, undefined]);
  });

  it('sends one picture as large as the camera gives it, with as much as was chosen', async () => {
    await publishes();
    await running?.setBitrate(SHARPEST);
    expect(peer().senders[0]?.parameters.encodings).toEqual([{ maxBitrate: 6_000_000 }]);
  });

  it('reconnects at once when the server reports a loss, and by itself when it notices one', async () => {
    const publisher = await publishes();
    peer().becomes('connected');
    const first = peer();
    publisher.republish();
    await settles();
    expect([first.closed, FakePeer.made.length, keys]).toEqual([true, 2, 1]);
    // Events of the previous connection are ignored.
    first.becomes('failed');
    await vi.advanceTimersByTimeAsync(7_000);
    expect(FakePeer.made).toHaveLength(2);
    peer().becomes('connected');
    peer().becomes('disconnected');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(FakePeer.made).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(501);
    expect(FakePeer.made).toHaveLength(3);
    expect(phases).toEqual(['connecting', 'live', 'reconnecting', 'live', 'reconnecting']);
  });

  it.each(['new', 'connecting'])('says that nothing connects while it stays %s, and tries on', async (is) => {
    await publishes();
    peer().becomes(is);
    await vi.advanceTimersByTimeAsync(7_999);
    expect([phases, FakePeer.made.length]).toEqual([['connecting'], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([phases, peer().closed]).toEqual([['connecting', 'blocked'], true]);
    await vi.advanceTimersByTimeAsync(500);
    expect(FakePeer.made).toHaveLength(2);
    peer().becomes('failed');
    expect(phases.at(-1)).toBe('blocked');
    await vi.advanceTimersByTimeAsync(1_000);
    peer().becomes('connected');
    await vi.advanceTimersByTimeAsync(60_000);
    expect([phases.at(-1), FakePeer.made.length]).toEqual(['live', 3]);
    // Once connected, any failure counts as a loss.
    peer().becomes('failed');
    await vi.advanceTimersByTimeAsync(8_500);
    expect(new Set(phases.slice(-2))).toEqual(new Set(['reconnecting']));
  });

  it('waits longer each time, replaces an expired key, gives up when refused', async () => {
    answers = [503, 429, 401, 409];
    await publishes();
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(keys).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([keys, phases.at(-1), FakePeer.made.length]).toEqual([2, 'refused', 4]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([FakePeer.made.length, peer().closed]).toEqual([4, true]);
  });

  it('does not connect without a key', async () => {
    running = publishStream({
      media,
      bitrate: 600,
      reconnects: true,
      onPhase: (phase) => phases.push(phase),
      createKey: () => Promise.reject(new CallFailed(problem(403, 'clearance_missing'))),
    });
    await settles();
    expect([phases, FakePeer.made]).toEqual([['connecting', 'refused'], []]);
  });
});

describe('a page that only tests', () => {
  it('never publishes again, since that could go on air', async () => {
    const publisher = await publishes(false);
    peer().becomes('connected');
    publisher.republish();
    await settles();
    expect(FakePeer.made).toHaveLength(1);
    peer().becomes('failed');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(phases).toEqual(['connecting', 'live', 'ended']);
    expect([FakePeer.made.length, peer().closed]).toEqual([1, true]);
  });
});
