const OPUS = /^a=rtpmap:(\d{1,3}) opus\/48000/gimu;

/**
 * An offer that asks for stereo sound, and says that sound which is sent is stereo (RFC 7587 §7): without it
 * Chromium plays and encodes Opus in mono. Browsers have no other way to say so than in the text.
 */
export function withStereo(offer: string): string {
  const types = [...offer.matchAll(OPUS)].map(([, type = '']) => type);
  return types.reduce((text, type) => {
    const line = new RegExp(`^a=fmtp:${type} .*$`, 'mu');
    const missing = (parameters: string): string => ['stereo=1', 'sprop-stereo=1']
      .filter((one) => !new RegExp(`[ ;]${one.split('=')[0]}=`, 'u').test(parameters)).join(';');
    if (!line.test(text)) {
      return text.replace(new RegExp(`^a=rtpmap:${type} .*$`, 'mu'), (mapped) =>
        `${mapped}\r\na=fmtp:${type} ${missing('')}`);
    }
    return text.replace(line, (found) => [found, missing(found)].filter(Boolean).join(';'));
  }, offer);
}
