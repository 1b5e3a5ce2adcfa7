import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUALITIES, STREAM_TYPES } from '../../rules.ts';
import { readChoices, withSaver } from './choices.ts';

const DEVICE = { webrtc: true, saveData: false };

describe('choices of the player', () => {
  it('are hd or sd, hls or webrtc, whatever was stored [C-141]', () => {
    const stored = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constant(null),
      fc.record({ quality: fc.anything(), streamType: fc.anything(), saver: fc.anything() })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(fc.property(stored, fc.boolean(), fc.boolean(), (text, webrtc, saveData) => {
      const { quality, streamType, saver } = readChoices(text, { webrtc, saveData });
      expect(QUALITIES).toContain(quality);
      expect(STREAM_TYPES).toContain(streamType);
      expect(typeof saver).toBe('boolean');
    }));
    expect(QUALITIES).toEqual(['hd', 'sd']);
  });

  it('are read back as they were stored', () => {
    const choices = fc.record({
      quality: fc.constantFrom(...QUALITIES),
      streamType: fc.constantFrom(...STREAM_TYPES),
      saver: fc.boolean(),
    });
    fc.assert(fc.property(choices, (chosen) => {
      expect(readChoices(JSON.stringify(chosen), DEVICE)).toEqual(chosen);
    }));
  });

  it('default to hd, and to sd where the device saves data', () => {
    expect(readChoices(null, DEVICE)).toEqual({ quality: 'hd', streamType: 'webrtc', saver: false });
    const saving = { webrtc: true, saveData: true };
    expect(readChoices(null, saving)).toEqual({ quality: 'sd', streamType: 'webrtc', saver: true });
    expect(readChoices('{"quality":"hd"}', saving)).toMatchObject({ quality: 'hd', saver: true });
    expect(readChoices('{"quality":"4k","streamType":"rtsp"}', DEVICE))
      .toEqual({ quality: 'hd', streamType: 'webrtc', saver: false });
  });

  it('switch to sd with data saving and back to hd without it', () => {
    const saving = withSaver(readChoices(null, DEVICE), true);
    expect(saving).toEqual({ quality: 'sd', streamType: 'webrtc', saver: true });
    expect(withSaver(saving, false).quality).toBe('hd');
  });
});
