import { getHistory } from '#product/ledger/contract.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from './client.ts';
import { expectMoving, goLive, openStage, type ProgramStage } from './stage.ts';

const VIEWERS = 10;
/** `npm run prove` sends thousands, of more kinds (docs/proofs/exactly-once.md). */
const TIPS_EACH = 20;
const KILLS = 2;
/** How often a tip is sent until it is answered; the site is back within seconds. */
const MAX_SENDS = 400;
/** Ten people tip one after the other, with two restarts: 40 s alone, minutes on a busy machine. */
const JOURNEY_MS = 600_000;

let stage: ProgramStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('kill -9 in 200 tips loses and doubles none; the room is back [A-008]', async () => {
  const performer = await stage.visit({ as: 'demo_performer' });
  await goLive(performer.page);
  const watching = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await expectMoving(watching.page);

  const viewers = await Promise.all(
    Array.from({ length: VIEWERS }, (_, at) => Client.signUp(stage.origin, `tipper_${at}`)),
  );
  await Promise.all(viewers.map((viewer) => viewer.takesGrants(1)));
  let answered = 0;
  let killed = 0;
  const total = VIEWERS * TIPS_EACH;
  const killWhenDue = (): void => {
    answered += 1;
    if (killed < KILLS && answered >= ((killed + 1) * total) / (KILLS + 1)) {
      killed += 1;
      stage.killSite();
    }
  };
  await Promise.all(viewers.map(async (viewer, at) => {
    for (let tip = 0; tip < TIPS_EACH; tip += 1) {
      await viewer.insists(sendTip, { username: 'demo_performer', amount: 1 }, `tip-${at}-${tip}`, MAX_SENDS);
      killWhenDue();
    }
  }));
  expect(killed).toBe(KILLS);

  for (const viewer of viewers) {
    const lines = await viewer.readAll(getHistory);
    const tips = lines.filter((line) => line.kind === 'tip');
    expect(tips).toHaveLength(TIPS_EACH);
    expect(new Set(tips.map((line) => line.operation)).size).toBe(TIPS_EACH);
    expect(lines[0]?.balance).toBe(500 - TIPS_EACH);
  }
  await expectMoving(watching.page);
  expect(stage.output.match(/the site ended \(SIGKILL\)/gu)).toHaveLength(KILLS);
}, JOURNEY_MS);
