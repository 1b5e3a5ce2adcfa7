import { hlsPlaylist } from '#product/broadcast/contract/hls.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { saveBlockedRegions } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endTicketShow, getTickets } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());
afterEach(() => capacity(['whep', 'hls']));

/** Sets the ways to watch for which the site has capacity from now on. */
function capacity(ways: readonly ('whep' | 'hls')[]): void {
  site.engine.refuseWith(ways.includes('whep') ? null : 'overloaded');
  site.outputs.refuseWith(ways.includes('hls') ? null : 'overloaded');
}

const abroad = { 'x-candela-test-region': 'BR' };

/** A running show of five minutes with one ticket holder. */
async function runs() {
  const performer = await ticketPerformer(site);
  const holder = await site.viewer({ tokens: 200 });
  await offersTickets(performer, { minutes: 5 });
  await sellsTickets(performer, holder);
  await startsTicketShow(performer);
  const overWhep = async (): Promise<number> => {
    const { stream, token } = await playbackOf(holder, performer);
    const { status } = await plays(holder, stream, token);
    await site.settle();
    return status;
  };
  const overHls = async (
    rendition = 'source',
    region?: string,
    goes = async (): Promise<void> => {},
  ): Promise<number> => {
    const { stream, token } = await playbackOf(holder, performer);
    await goes();
    const options = region === undefined ? {} : { region };
    const { status } = await media(holder, hlsPlaylist, { stream, rendition, token }, options);
    await site.settle();
    return status;
  };
  /** Tries as the product's player does: over WHEP, and over HLS when that fails. */
  const tries = async (): Promise<readonly number[]> => {
    const first = await overWhep();
    return first === 201 ? [first] : [first, await overHls()];
  };
  /** Lets the show run until its agreed length is over. Returns the state of the ticket. */
  const ends = async (inMs = 310_000): Promise<string | undefined> => {
    await site.passes(inMs);
    await performer.call(endTicketShow, {});
    await site.settle();
    return (await holder.call(getTickets, {})).tickets[0]?.state;
  };
  return { performer, holder, overWhep, overHls, tries, ends };
}

describe('a ticket whose holder the site has no capacity for', () => {
  it('goes back where both ways to the picture are full', async () => {
    const { holder, tries, ends } = await runs();
    capacity([]);
    expect(await tries()).toEqual([429, 429]);
    expect(await ends()).toBe('returned');
    expect((await holder.call(getBalance, {})).tokens).toBe(200);
  });

  it('goes back where there is one way, and it is full', async () => {
    const { overWhep, ends } = await runs();
    site.outputs.on = false;
    onTestFinished(() => void (site.outputs.on = true));
    capacity(['hls']);
    expect(await overWhep()).toBe(429);
    expect(await ends()).toBe('returned');
  });

  it('is paid where there is the other way, taken or not', async () => {
    const taken = await runs();
    capacity(['hls']);
    expect(await taken.tries()).toEqual([429, 200]);
    expect(await taken.ends()).toBe('paid');
    capacity(['whep', 'hls']);
    const left = await runs();
    capacity(['hls']);
    expect(await left.overWhep()).toBe(429);
    expect(await left.ends()).toBe('paid');
  });

  it.each([[29_000, 'paid'], [31_000, 'returned']] as const)(
    'is looked at to the second: %i ms, and it is %s',
    async (ms, state) => {
      const { tries, ends } = await runs();
      capacity([]);
      expect(await tries()).toEqual([429, 429]);
      await site.passes(ms);
      capacity(['whep']);
      expect(await tries()).toEqual([201]);
      expect(await ends()).toBe(state);
    },
  );

  it('counts all times that there was none, and each from its first refusal', async () => {
    const { tries, ends, overHls } = await runs();
    for (let time = 0; time < 2; time += 1) {
      capacity([]);
      await tries();
      await site.passes(10_000);
      await tries();
      await site.passes(10_000);
      capacity(['hls']);
      expect(await overHls()).toBe(200);
      await site.passes(21_000);
    }
    expect(await ends()).toBe('returned');
  });

  it('is paid by whoever is refused a second player, or another quality, and could watch', async () => {
    const second = await runs();
    expect(await second.tries()).toEqual([201]);
    capacity([]);
    expect(await second.tries()).toEqual([429, 429]);
    expect(await second.ends()).toBe('paid');
    capacity(['whep', 'hls']);
    const behind = await runs();
    expect(await behind.overHls()).toBe(200);
    await site.passes(19_000);
    capacity([]);
    expect(await behind.tries()).toEqual([429, 429]);
    expect(await behind.ends()).toBe('paid');
    capacity(['whep', 'hls']);
    const quality = await runs();
    expect(await quality.overHls()).toBe(200);
    await site.passes(21_000);
    capacity([]);
    expect(await quality.overHls('240')).toBe(429);
    expect(await quality.ends()).toBe('paid');
  });

  it('goes back to whoever lost their player, and was not let in again', async () => {
    const { performer, holder, tries, ends } = await runs();
    const { stream, token } = await playbackOf(holder, performer);
    const { session } = await plays(holder, stream, token);
    await site.passes(100_000);
    capacity([]);
    await media(holder, whepEnd, { session }, { bearer: token });
    expect(await tries()).toEqual([429, 429]);
    expect(await ends()).toBe('returned');
  });
});

describe('from where the holder of a ticket watches', () => {
  const declares = async (holder: Member): Promise<void> => {
    const declared = { method: 'POST', url: '/api/v1/entry', payload: { of_age: true } } as const;
    expect((await holder.request({ ...declared, headers: abroad })).statusCode).toBe(200);
  };
  const asksAbroad = async (holder: Member, performer: Member, region = 'BR'): Promise<number> => {
    const url = `/api/v1/video/playback/${performer.username}`;
    const { statusCode } = await holder.request({ url, headers: { 'x-candela-test-region': region } });
    await site.settle();
    return statusCode;
  };
  const blocks = async (performer: Member, ...regions: readonly string[]): Promise<void> => {
    await performer.call(saveBlockedRegions, { regions: regions.length > 0 ? [...regions] : ['BR'] });
    await site.settle();
  };

  it('is where their player was served: shut afterwards, the ticket goes back', async () => {
    const { performer, holder, overHls, ends } = await runs();
    expect(await overHls('source', 'BR', () => declares(holder))).toBe(200);
    await blocks(performer);
    expect(await ends()).toBe('returned');
  });

  it.each(['a token', 'a playlist'])('is where they were refused %s: a region that is shut', async (what) => {
    const { performer, holder, overHls, ends } = await runs();
    await blocks(performer);
    if (what === 'a token') expect(await asksAbroad(holder, performer)).toBe(404);
    else expect(await overHls('source', 'BR')).toBe(403);
    expect(await ends()).toBe('returned');
  });

  it('is where they were last: at home again they pay', async () => {
    const { performer, holder, overWhep, ends } = await runs();
    await blocks(performer);
    await asksAbroad(holder, performer);
    await site.passes(20_000);
    expect(await overWhep()).toBe(201);
    expect(await ends()).toBe('paid');
  });

  it('is where their player runs, whatever they ask from elsewhere meanwhile', async () => {
    const { performer, holder, overWhep, ends } = await runs();
    await blocks(performer);
    expect(await overWhep()).toBe(201);
    expect(await asksAbroad(holder, performer)).toBe(404);
    expect(await ends()).toBe('paid');
  });

  /** Watches over WHEP for a time, and closes the player. */
  const watched = async (holder: Member, performer: Member, ms: number): Promise<void> => {
    const { stream, token } = await playbackOf(holder, performer);
    const { session, status } = await plays(holder, stream, token);
    expect(status).toBe(201);
    await site.passes(ms);
    await media(holder, whepEnd, { session }, { bearer: token });
    await site.settle();
  };

  it('is where they were served, whatever is asked once from a shut region between two players', async () => {
    const { performer, holder, overWhep, ends } = await runs();
    await watched(holder, performer, 200_000);
    expect(await asksAbroad(holder, performer, 'US-TX')).toBe(404);
    await site.passes(60_000);
    expect(await overWhep()).toBe(201);
    expect(await ends(50_000)).toBe('paid');
    expect((await holder.call(getBalance, {})).tokens).toBe(100);
  });

  it('is so over HLS, after the window of a playlist, and whatever is asked again and again', async () => {
    const { performer, holder, overHls, ends } = await runs();
    expect(await overHls()).toBe(200);
    for (const region of ['US-TX', 'DE', 'GB', 'US-TX']) {
      await site.passes(21_000);
      await asksAbroad(holder, performer, region);
    }
    await site.passes(60_000);
    expect(await overHls()).toBe(200);
    expect(await ends(170_000)).toBe('paid');
  });

  it('is where they were refused, once the region that served them is shut', async () => {
    const { performer, holder, overHls, ends } = await runs();
    expect(await overHls('source', 'BR', () => declares(holder))).toBe(200);
    await site.passes(21_000);
    await blocks(performer);
    expect(await asksAbroad(holder, performer, 'US-TX')).toBe(404);
    expect(await ends()).toBe('returned');
  });

  it('is where they were refused first and served later, while that is open', async () => {
    const { performer, holder, overHls, ends } = await runs();
    await blocks(performer);
    await asksAbroad(holder, performer);
    await blocks(performer, 'CL');
    expect(await overHls('source', 'BR', () => declares(holder))).toBe(200);
    await site.passes(100_000);
    expect(await asksAbroad(holder, performer, 'US-TX')).toBe(404);
    expect(await ends()).toBe('paid');
  });

  it('is not where they read the page of the show', async () => {
    const { performer, holder, overWhep, ends } = await runs();
    expect(await overWhep()).toBe(201);
    await declares(holder);
    const url = `/api/v1/shows/ticket/${performer.username}`;
    expect((await holder.request({ url, headers: abroad })).statusCode).toBe(200);
    await blocks(performer);
    expect(await ends()).toBe('paid');
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
