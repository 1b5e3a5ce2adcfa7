import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectMoving, goLive, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('viewers of a publisher who drops and returns go on watching unaided [A-007] [A-014]', async () => {
  const first = await stage.visit({ as: 'demo_performer' });
  await goLive(first.page);
  const viewer = await stage.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await expectMoving(viewer.page);
  await first.context.close();
  await viewer.page.getByText('Demo Performer is reconnecting').waitFor();

  const second = await stage.visit({ as: 'demo_performer' });
  await goLive(second.page);
  await expectMoving(viewer.page);
  expect(viewer.page.url()).toContain('/demo_performer');
  await second.context.close();
});
