import { ExtensionRegistry, implement } from '#platform/contract/extension-point.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { createSite } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { getRoom } from './contract.ts';
import { viewConditions, type ViewDecider } from './extension-points.ts';
import { DECIDED_CONDITIONS, withDecided, type DecidedCondition } from './rules/view-conditions.ts';

/** Starts a site where each of these slices decides these conditions. */
function start(slices: Readonly<Record<string, readonly string[]>>): void {
  const implementing = Object.entries(slices).map(([name, decides]) => ({
    name,
    extensions: [implement(viewConditions, { decides, of: async () => ({}) } as unknown as ViewDecider)],
  }));
  new ExtensionRegistry().connect([{ name: 'rooms', extensionPoints: { viewConditions } }, ...implementing]);
}
const POINT = 'rooms.viewConditions of the slice rooms: ';

describe('deciders of conditions for seeing the video', () => {
  it('start the site when each condition has one', () => {
    expect(() => start({})).not.toThrow();
    expect(() => start({ shows: ['mode'], cards: ['isCardRequired', 'hasCard'] })).not.toThrow();
  });

  it('stop the start when two decide one condition, and the error names point and slices', () => {
    for (const condition of DECIDED_CONDITIONS) {
      expect(() => start({ shows: [condition], cards: [condition] }))
        .toThrow(`${POINT}${condition} takes one implementer and has 2: shows, cards`);
    }
  });

  it('stop the start with a condition that is not theirs to decide, or none', () => {
    for (const condition of ['hasCamPassword', 'isRoomAdmin', 'weather']) {
      expect(() => start({ shows: [condition] }))
        .toThrow(`${POINT}shows decides ${condition}, which is not one of the conditions`);
    }
    expect(() => start({ shows: [] })).toThrow(`${POINT}shows decides no condition`);
  });

  it('stop the start when a card is required and no slice decides who has one', () => {
    expect(() => start({ cards: ['isCardRequired'] })).toThrow(`${POINT}isCardRequired is decided`);
  });
});

describe('the conditions of a viewer', () => {
  it('have a value from their decider, else an error rather than a default', () => {
    const decides: readonly DecidedCondition[] = ['mode'];
    expect(withDecided([{ decides, values: { mode: 'spy' } }]).mode).toBe('spy');
    expect(() => withDecided([{ decides, values: {} }])).toThrow('decides mode left it open');
    expect(() => withDecided([{ decides, values: { mode: 'public', hasCard: true } }]))
      .toThrow('set hasCard');
  });

  it('that no slice decides give nobody a card or a show', () => {
    expect(withDecided([])).toEqual({
      isShowGuestOverlay: false,
      isCardRequired: false,
      hasCard: false,
      mode: 'public',
    });
  });

  it('that no slice decides admit nobody but the performer to a show', async () => {
    const site = await createSite();
    const performer = await site.performer({ live: true });
    const viewers = [
      await site.viewer(),
      await site.visitor({ ofAge: true }),
      await site.viewer({ roles: ['admin'] }),
    ];
    const { username } = performer;
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    for (const viewer of viewers) {
      const { streamStatus, stream } = await viewer.call(getRoom, { username });
      expect([streamStatus, stream.stream_name, stream.token]).toEqual(['private', null, null]);
      expect(await viewer.refused(getPlayback, { username })).toMatchObject({ errorType: 'stream_offline' });
    }
    expect((await performer.call(getRoom, { username })).streamStatus).toBe('online');
    await site.close();
  });

  it('fail the call when their decider leaves one open', async () => {
    const open = { decides: ['hasCard'], of: async () => ({}) } satisfies ViewDecider as ViewDecider;
    const site = await createSite({ implementations: [implement(viewConditions, open)] });
    const performer = await site.performer({ live: true });
    const refused = await (await site.viewer()).refused(getRoom, { username: performer.username });
    expect(refused).toMatchObject({ status: 500 });
    await site.close();
  });
});
