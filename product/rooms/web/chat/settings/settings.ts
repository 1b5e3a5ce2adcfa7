import { useCallback, useEffect, useState } from 'react';

const KEY = 'candela.chat';
export const CHAT_SIZES_PX = [12, 13, 14, 15, 16, 17, 18, 19, 20] as const;
export type ChatSize = (typeof CHAT_SIZES_PX)[number];
/** Typefaces of the chat; `wide` spaces letters and words, which many find easier to read. */
export const CHAT_FONTS = ['sans', 'serif', 'mono', 'wide'] as const;
export type ChatFont = (typeof CHAT_FONTS)[number];

/** Chat settings of this device. */
export interface ChatSettings {
  readonly sizePx: ChatSize;
  readonly font: ChatFont;
  readonly hasTimes: boolean;
  readonly hasNotices: boolean;
  readonly hasTips: boolean;
  readonly isCompact: boolean;
  /** Silences the chat here without changing the volume, which belongs to the account. */
  readonly isMuted: boolean;
  /** Volume of a guest, who has no account to store it in; null takes the account's or the default. */
  readonly volume: number | null;
}

export const USUAL: ChatSettings = {
  sizePx: 14, font: 'sans', hasTimes: false, hasNotices: true, hasTips: true, isCompact: false,
  isMuted: false, volume: null,
};

/** Parses stored settings; unreadable ones get their default. */
export function readSettings(stored: string | null): ChatSettings {
  try {
    const known = JSON.parse(stored ?? '{}') as Partial<Record<keyof ChatSettings, unknown>>;
    const flag = (name: 'hasTimes' | 'hasNotices' | 'hasTips' | 'isCompact' | 'isMuted'): boolean =>
      (typeof known[name] === 'boolean' ? known[name] : USUAL[name]);
    const { volume } = known;
    const isVolume = typeof volume === 'number' && volume >= 0 && volume <= 100;
    return {
      sizePx: CHAT_SIZES_PX.find((size) => size === known.sizePx) ?? USUAL.sizePx,
      font: CHAT_FONTS.find((font) => font === known.font) ?? USUAL.font,
      hasTimes: flag('hasTimes'), hasNotices: flag('hasNotices'), hasTips: flag('hasTips'),
      isCompact: flag('isCompact'), isMuted: flag('isMuted'), volume: isVolume ? volume : null,
    };
  } catch {
    return USUAL;
  }
}

/** The settings of this device, stored for the next visit and shared by all tabs. */
export function useChatSettings(): {
  readonly settings: ChatSettings;
  readonly change: (some: Partial<ChatSettings>) => void;
} {
  const [settings, setSettings] = useState(USUAL);
  useEffect(() => {
    setSettings(readSettings(readStored()));
    const onStorage = (event: StorageEvent): void => {
      if (event.key === KEY) setSettings(readSettings(event.newValue));
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  const change = useCallback((some: Partial<ChatSettings>) => setSettings((known) => {
    const next = { ...known, ...some };
    writeStored(JSON.stringify(next));
    return next;
  }), []);
  return { settings, change };
}

/** Storage may be unavailable; then each visit begins with the defaults. */
function readStored(): string | null {
  try {
    return globalThis.localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function writeStored(text: string): void {
  try {
    globalThis.localStorage.setItem(KEY, text);
  } catch {
    // The settings apply to this visit all the same.
  }
}
