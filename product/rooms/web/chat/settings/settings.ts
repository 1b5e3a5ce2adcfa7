import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { SettingsInput, SettingsView } from '#product/accounts/contract/settings.ts';
import {
  CHAT_NOTICES,
  DEFAULT_SETTINGS,
  FONT_FAMILIES,
  FONT_SIZES,
  wordOf,
  type ChatNotice,
  type FontFamily,
  type FontSize,
} from '#product/accounts/rules/settings.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useSaveSettings } from '#product/accounts/web/settings/save-settings.ts';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

const KEY = 'candela.chat';

/** How a chat is read: partly from a member's account, the rest (and all of a guest's) from this device. */
export interface ChatSettings {
  readonly size: FontSize;
  readonly font: FontFamily;
  /** `#rrggbb`. */
  readonly textColor: string;
  readonly hasNotices: boolean;
  readonly hasTips: boolean;
  /** Typed smileys become emoji. */
  readonly hasEmoticons: boolean;
  /** Tips don't fly over the video. */
  readonly isCalm: boolean;
  readonly hasTimes: boolean;
  readonly isCompact: boolean;
  /** Silences the chat here without changing the volume, which belongs to the account. */
  readonly isMuted: boolean;
  /** Volume of a guest, who has no account to store it in; null takes the account's or the default. */
  readonly volume: number | null;
}

export const USUAL: ChatSettings = {
  size: DEFAULT_SETTINGS.font_size,
  font: DEFAULT_SETTINGS.font_family,
  textColor: DEFAULT_SETTINGS.text_color,
  hasTimes: false,
  hasNotices: true,
  hasTips: true,
  hasEmoticons: true,
  isCalm: false,
  isCompact: false,
  isMuted: false,
  volume: null,
};

/** Parses stored settings; unreadable ones get their default. */
export function readSettings(stored: string | null): ChatSettings {
  try {
    const known = JSON.parse(stored ?? '{}') as Partial<Record<keyof ChatSettings, unknown>>;
    const flag = (
      name: 'hasTimes' | 'hasNotices' | 'hasTips' | 'isCalm' | 'isCompact' | 'isMuted',
    ) => (typeof known[name] === 'boolean' ? known[name] : USUAL[name]);
    const { volume } = known;
    const isVolume = typeof volume === 'number' && volume >= 0 && volume <= 100;
    return {
      ...USUAL,
      size: FONT_SIZES.find((size) => size === known.size) ?? USUAL.size,
      font: FONT_FAMILIES.find((font) => font === known.font) ?? USUAL.font,
      hasTimes: flag('hasTimes'),
      hasNotices: flag('hasNotices'),
      hasTips: flag('hasTips'),
      isCalm: flag('isCalm'),
      isCompact: flag('isCompact'),
      isMuted: flag('isMuted'),
      volume: isVolume ? volume : null,
    };
  } catch {
    return USUAL;
  }
}

type OfAccount = Pick<
  ChatSettings,
  'size' | 'font' | 'textColor' | 'hasNotices' | 'hasTips' | 'hasEmoticons' | 'isCalm'
>;

/** Chat settings in a member's account. */
const chatSettingsOf = (settings: SettingsView): OfAccount => ({
  size: settings.font_size,
  font: settings.font_family,
  textColor: settings.text_color,
  hasNotices: settings.chat_notice === 'all' || settings.chat_notice === 'notices',
  hasTips: settings.chat_notice === 'all' || settings.chat_notice === 'tips',
  hasEmoticons: settings.chat_emoticons === 'YES',
  isCalm: settings.calm_mode,
});

const noticeOf = ({ hasNotices, hasTips }: Pick<ChatSettings, 'hasNotices' | 'hasTips'>): ChatNotice => {
  const [all, tips, notices, none] = CHAT_NOTICES;
  if (hasNotices) return hasTips ? all : notices;
  return hasTips ? tips : none;
};

/** The part of a change that belongs to a member's account. */
function accountChangeOf(some: Partial<ChatSettings>, known: ChatSettings): SettingsInput {
  const { size, font, textColor, hasEmoticons, isCalm } = some;
  const { hasNotices, hasTips } = { ...known, ...some };
  return {
    ...(size === undefined ? {} : { font_size: size }),
    ...(font === undefined ? {} : { font_family: font }),
    ...(textColor === undefined ? {} : { text_color: textColor }),
    ...(hasEmoticons === undefined ? {} : { chat_emoticons: wordOf(hasEmoticons) }),
    ...(isCalm === undefined ? {} : { calm_mode: isCalm }),
    ...('hasNotices' in some || 'hasTips' in some ? { chat_notice: noticeOf({ hasNotices, hasTips }) } : {}),
  };
}

/** The settings of this device, stored for the next visit and shared by all tabs. */
function useDeviceSettings(): readonly [ChatSettings, (some: Partial<ChatSettings>) => void] {
  const [settings, setSettings] = useState(USUAL);
  useEffect(() => {
    setSettings(readSettings(readStored()));
    const onStorage = (event: StorageEvent): void => {
      if (event.key === KEY) setSettings(readSettings(event.newValue));
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  const change = useCallback((some: Partial<ChatSettings>) =>
    setSettings((known) => {
      const next = { ...known, ...some };
      writeStored(JSON.stringify(next));
      return next;
    }), []);
  return [settings, change];
}

/** How this viewer reads chats. A change shows at once; a member's change is undone if it cannot be saved. */
export function useChatSettings(): {
  readonly settings: ChatSettings;
  readonly change: (some: Partial<ChatSettings>) => void;
} {
  const { t } = useTranslation('rooms');
  const toast = useToast();
  const account = useMe()?.settings ?? null;
  const [device, changeDevice] = useDeviceSettings();
  const [waiting, setWaiting] = useState<Partial<ChatSettings>>({});
  const save = useSaveSettings();
  const newest = useRef(0);
  const settings = useMemo(() => (
    account === null ? device : { ...device, ...chatSettingsOf(account), ...waiting }
  ), [account, device, waiting]);
  const change = useCallback((some: Partial<ChatSettings>) => {
    const ofAccount = account === null ? {} : accountChangeOf(some, settings);
    if (Object.keys(ofAccount).length === 0) return changeDevice(some);
    newest.current += 1;
    const own = newest.current;
    setWaiting((before) => ({ ...before, ...some }));
    void save(ofAccount).then((saved) => {
      if (own === newest.current) setWaiting({});
      if (!saved) toast(t('chat.setting.notSaved'), 'error');
    });
  }, [account, changeDevice, save, settings, t, toast]);
  return { settings, change };
}

/** Whether this viewer wants no animations; read when one would start, so it needs no state. */
export const wantsCalm = (account: SettingsView | null): boolean =>
  account?.calm_mode ?? readSettings(readStored()).isCalm;

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
    // The settings still apply to this visit.
  }
}
