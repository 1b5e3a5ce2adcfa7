import { describe, expect, it } from 'vitest';
import { withStereo } from './stereo.ts';

const offerWith = (...lines: readonly string[]): string =>
  ['v=0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111 63', ...lines, 'a=rtpmap:63 red/48000/2', 'a=fmtp:63 111/111', '']
    .join('\r\n');
const OPUS = 'a=rtpmap:111 opus/48000/2';

describe('an offer with stereo', () => {
  it.each([
    ['beside what Chromium says', ['a=fmtp:111 minptime=10;useinbandfec=1'], [
      'a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1',
    ]],
    ['where nothing is said', [], ['a=fmtp:111 stereo=1;sprop-stereo=1']],
    ['as Firefox says it already', ['a=fmtp:111 maxplaybackrate=48000;stereo=1;useinbandfec=1'], [
      'a=fmtp:111 maxplaybackrate=48000;stereo=1;useinbandfec=1;sprop-stereo=1',
    ]],
    ['as somebody says for themselves', ['a=fmtp:111 stereo=0;sprop-stereo=0'], [
      'a=fmtp:111 stereo=0;sprop-stereo=0',
    ]],
  ])('asks for it %s', (_how, before, after) => {
    expect(withStereo(offerWith(OPUS, ...before))).toBe(offerWith(OPUS, ...after));
  });

  it('is as it was without Opus', () => expect(withStereo(offerWith())).toBe(offerWith()));
});
