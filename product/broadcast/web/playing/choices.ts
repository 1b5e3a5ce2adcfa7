import { playerDefaults, QUALITIES, STREAM_TYPES, type PlayerState } from '../../rules.ts';

const KEY = 'candela.player';

/** Player choices of this browser. */
export interface PlayerChoices extends PlayerState {
  /** Saves data: starts in sd, pauses in hidden tabs, shows no previews. */
  readonly saver: boolean;
}

/** Properties of the device that set the defaults. */
export interface Device {
  readonly webrtc: boolean;
  /** The browser's data-saving setting (Network Information, `saveData`). */
  readonly saveData: boolean;
}

const among = <T extends string>(values: readonly T[], value: unknown): T | null =>
  values.find((item) => item === value) ?? null;

/** Reads stored choices; invalid values get the default. */
export function readChoices(stored: string | null, device: Device): PlayerChoices {
  const values = parsed(stored);
  const saver = typeof values['saver'] === 'boolean' ? values['saver'] : device.saveData;
  const defaults = playerDefaults(device);
  return {
    quality: among(QUALITIES, values['quality']) ?? (saver ? 'sd' : defaults.quality),
    streamType: among(STREAM_TYPES, values['streamType']) ?? defaults.streamType,
    saver,
  };
}

/** Turns data saving on or off, with the matching quality. */
export const withSaver = (choices: PlayerChoices, saver: boolean): PlayerChoices => ({
  ...choices,
  saver,
  quality: saver ? 'sd' : 'hd',
});

function parsed(stored: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The choices of this browser. */
export function storedChoices(): PlayerChoices {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } };
  const device = { webrtc: 'RTCPeerConnection' in globalThis, saveData: connection?.saveData === true };
  try {
    return readChoices(globalThis.localStorage.getItem(KEY), device);
  } catch {
    return readChoices(null, device);
  }
}

export function storeChoices(choices: PlayerChoices): void {
  try {
    globalThis.localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
}
