import { expect, it } from 'vitest';
import { WEBCAM_CONSTRAINTS } from '../../rules.ts';
import {
  bitrateFor,
  linesAt,
  UPLOAD_FIRST_BYTES,
  uploadCarries,
  videoConstraints,
} from '../../rules/upload.ts';
import { measureUpload } from './upload-check.ts';

it('asks for 1080 lines at 6 Mbit/s, and for no more than the usual ones below 3.5', () => {
  expect(videoConstraints(6_000)).toMatchObject({ width: { max: 1_920 }, height: { max: 1_080 } });
  expect(videoConstraints(3_500)).toMatchObject({ width: { max: 1_280 }, height: { max: 720 } });
  expect([600, 1_200, 2_000].map(videoConstraints)).toEqual(Array(3).fill(WEBCAM_CONSTRAINTS));
  expect([100, 600, 3_499, 20_000].map(linesAt)).toEqual([480, 480, 480, 1_080]);
});

it('publishes sharper video only over an upload that was measured and carries it', () => {
  expect(uploadCarries(null, 2_000)).toBe(true);
  expect([null, 7_000, 7_800].map((upload) => uploadCarries(upload, 6_000))).toEqual([false, false, true]);
  expect([null, 7_000, 7_800].map((upload) => bitrateFor(6_000, upload))).toEqual([2_000, 2_000, 6_000]);
  expect(bitrateFor(null, 50_000)).toBe(2_000);
});

it('measures an upload by what follows the first part, and a slow one by its first part alone', async () => {
  const sent: number[] = [];
  const over = (kilobits: number, delayMs = 0) => (bytes: number): Promise<number> => {
    sent.push(bytes);
    return Promise.resolve(delayMs * Number(bytes === UPLOAD_FIRST_BYTES) + (bytes * 8) / kilobits);
  };
  expect(await measureUpload(over(10_000, 500))).toBe(10_000);
  expect(sent).toHaveLength(9);
  sent.length = 0;
  expect(await measureUpload(over(800))).toBe(800);
  expect(sent).toEqual([UPLOAD_FIRST_BYTES]);
});
