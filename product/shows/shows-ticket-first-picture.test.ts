import { playbackTried } from '#product/broadcast/contract/playback-tried.ts';
import { whep } from '#product/broadcast/contract/webrtc.ts';
import { declareAge, saveBlockedRegions } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media } from '#product/testkit/media/media-client.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endTicketShow, getTickets } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A show of five minutes, with a ticket bought in a region, by default the demo's. */
async function sold(bought?: string) {
  const performer = await ticketPerformer(site);
  const { username } = performer;
  const holder = await site.viewer({ tokens: 200, ...(bought === undefined ? {} : { region: bought }) });
  if (bought !== undefined) await holder.call(declareAge, { of_age: true });
  await offersTickets(performer, { minutes: 5 });
  await sellsTickets(performer, holder);
  const blocks = async (...regions: readonly string[]): Promise<void> => {
    await performer.call(saveBlockedRegions, { regions: [...regions] });
    await site.settle();
  };
  /** Requests the video from a region. Returns the status of the first failed response, or 201. */
  const asks = async (region: string): Promise<number> => {
    const headers = { 'x-candela-test-region': region };
    const declared = { method: 'POST', url: '/api/v1/entry', payload: { of_age: true }, headers } as const;
    await holder.request(declared);
    const given = await holder.request({ url: `/api/v1/video/playback/${username}`, headers });
    await site.settle();
    if (given.statusCode !== 200) return given.statusCode;
    const { stream_name: stream, token } = given.json<{ stream_name: string; token: string }>();
    const { status } = await media(holder, whep, { stream, body: TEST_OFFER }, { bearer: token, region });
    await site.settle();
    return status;
  };
  /** Lets the agreed length pass. Returns the ticket's state and the holder's balance. */
  const ends = async (): Promise<readonly [string | undefined, number]> => {
    await site.passes(310_000);
    await performer.call(endTicketShow, {});
    await site.settle();
    const { tickets: [ticket] } = await holder.call(getTickets, {});
    return [ticket?.state, (await holder.call(getBalance, {})).tokens];
  };
  return { performer, holder, blocks, asks, ends };
}
/** The same with a running show, and with regions that are blocked from its start. */
async function runs(bought: string | undefined, ...shut: readonly string[]) {
  const show = await sold(bought);
  await startsTicketShow(show.performer);
  await show.blocks(...shut);
  return show;
}
const PAID = ['paid', 100];
const RETURNED = ['returned', 200];

describe('before the first picture of a ticket show', () => {
  it('a refusal in a region that is shut takes nothing back from who then watches elsewhere', async () => {
    const { asks, ends } = await runs(undefined, 'BR');
    expect(await asks('BR')).toBe(404);
    await site.passes(31_000);
    expect(await asks('demo')).toBe(201);
    expect(await ends()).toEqual(PAID);
  });

  it('nor of who watches from a third region, or asked from many that are shut', async () => {
    const third = await runs(undefined, 'BR');
    expect(await third.asks('BR')).toBe(404);
    await site.passes(31_000);
    expect(await third.asks('CL')).toBe(201);
    expect(await third.ends()).toEqual(PAID);
    const shut = ['BR', 'AR', 'PE', 'UY', 'EC', 'BO', 'PY', 'CO', 'VE', 'CR'];
    const many = await runs(undefined, ...shut);
    for (const region of shut) {
      expect(await many.asks(region)).toBe(404);
      await site.passes(10_000);
    }
    expect(await many.asks('demo')).toBe(201);
    expect(await many.ends()).toEqual(PAID);
  });

  it('nor of who asks from there again after the picture, and before the end', async () => {
    const { asks, ends } = await runs(undefined, 'BR');
    expect(await asks('BR')).toBe(404);
    await site.passes(31_000);
    expect(await asks('demo')).toBe(201);
    await site.passes(31_000);
    expect(await asks('BR')).toBe(404);
    expect(await ends()).toEqual(PAID);
  });

  it.each([[29_000, PAID], [31_000, RETURNED]] as const)(
    'a region counts that was shut for %i ms and then gives it',
    async (ms, outcome) => {
      const atHome = await runs('BR', 'BR');
      expect(await atHome.asks('BR')).toBe(404);
      await site.passes(ms);
      await atHome.blocks();
      expect(await atHome.asks('BR')).toBe(201);
      expect(await atHome.ends()).toEqual(outcome);
      const away = await runs(undefined, 'BR');
      expect(await away.asks('BR')).toBe(404);
      await site.passes(ms);
      await away.blocks();
      expect(await away.asks('BR')).toBe(201);
      expect(await away.ends()).toEqual(outcome);
    },
  );

  it('it counts whole, whatever was asked elsewhere, and from when somebody was there', async () => {
    const { blocks, asks, ends } = await runs('BR', 'BR', 'CL');
    await site.passes(16_000);
    expect(await asks('CL')).toBe(404);
    await site.passes(16_000);
    await blocks();
    expect(await asks('BR')).toBe(201);
    expect(await ends()).toEqual(RETURNED);
    const late = await runs(undefined, 'BR');
    await site.passes(31_000);
    expect(await late.asks('BR')).toBe(404);
    await late.blocks();
    expect(await late.asks('BR')).toBe(201);
    expect(await late.ends()).toEqual(PAID);
  });

  it('a region that is shut between the purchase and the start is shut from the start', async () => {
    const { performer, blocks, asks, ends } = await sold('BR');
    await blocks('BR');
    await startsTicketShow(performer);
    await site.passes(31_000);
    await blocks();
    expect(await asks('BR')).toBe(201);
    expect(await ends()).toEqual(RETURNED);
  });

  it('whoever could watch nowhere has their tokens back, also without any picture', async () => {
    const { asks, ends } = await runs('BR', 'BR', 'CL');
    for (const region of ['BR', 'CL', 'BR']) {
      expect(await asks(region)).toBe(404);
      await site.passes(31_000);
    }
    expect(await ends()).toEqual(RETURNED);
  });

  it('what the site had no capacity for counts in every region', async () => {
    const { asks, ends } = await runs(undefined, 'BR');
    site.engine.refuseWith('overloaded');
    site.outputs.refuseWith('overloaded');
    site.outputs.on = false;
    expect(await asks('demo')).toBe(429);
    await site.passes(20_000);
    expect(await asks('BR')).toBe(404);
    await site.passes(11_000);
    site.engine.refuseWith(null);
    site.outputs.refuseWith(null);
    site.outputs.on = true;
    expect(await asks('CL')).toBe(201);
    expect(await ends()).toEqual(RETURNED);
  });
});

describe('after the first picture of a ticket show', () => {
  it('what was missed in the region that gave it stays, wherever they watch then', async () => {
    const { blocks, asks, ends } = await runs(undefined);
    expect(await asks('BR')).toBe(201);
    await blocks('BR');
    await site.passes(31_000);
    expect(await asks('CL')).toBe(201);
    expect(await ends()).toEqual(RETURNED);
  });

  it.each([['paid', 0], ['returned', 31_000]] as const)(
    'a fact that arrives twice changes nothing: %s',
    async (state, ms) => {
      const { performer, holder, blocks, asks, ends } = await runs('BR', 'BR', 'CL');
      if (ms === 0) await blocks('CL');
      expect(await asks('CL')).toBe(404);
      await site.passes(31_000);
      await blocks('CL');
      expect(await asks('BR')).toBe(201);
      const of = { performerId: performer.id, personId: holder.id, isFull: false };
      for (const [region, isServed] of [['BR', true], ['CL', false], ['BR', true]] as const) {
        await site.tx((tx) =>
          tx.publish(playbackTried, `performer:${performer.id}`, {
            ...of,
            region,
            isServed,
          })
        );
        await site.settle();
      }
      expect((await ends())[0]).toBe(state);
    },
  );
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
