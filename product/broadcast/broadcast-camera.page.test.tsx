import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the camera', () => {
  test('is asked for 320x240 up to 640x480 at 10 to 30 frames a second [A-481, A-482]', async () => {
    const asked: MediaStreamConstraints[] = [];
    const before = Object.getOwnPropertyDescriptor(navigator, 'mediaDevices');
    const page = await openPage(site, await site.performer(), '/go-live');
    Object.defineProperty(navigator, 'mediaDevices', {
      configurable: true,
      value: {
        enumerateDevices: async () => [],
        getUserMedia: async (constraints: MediaStreamConstraints) => {
          asked.push(constraints);
          throw new DOMException('the person said no', 'NotAllowedError');
        },
      },
    });
    try {
      await page.press(/camera/iu);
      await page.until(() => expect(asked).toHaveLength(1));
      expect(asked[0]?.video).toMatchObject({
        width: { min: 320, max: 640 }, height: { min: 240, max: 480 }, frameRate: { min: 10, max: 30 },
      });
    } finally {
      if (before) Object.defineProperty(navigator, 'mediaDevices', before);
    }
  });
});
