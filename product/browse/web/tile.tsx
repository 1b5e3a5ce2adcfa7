import { Eye } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Pill, VisuallyHidden, type PillTone } from '../../../platform/ui/surfaces/card.tsx';
import { formatCount } from '../../../platform/ui/text/amounts.tsx';
import { keyOf } from '../../../platform/text/message-keys.ts';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import type { BrowseDataView } from '../contract.ts';

export type Entry = BrowseDataView['userList'][number];

/** Languages on a tile; more would hide the image. */
const MAX_LANGUAGES = 3;

const PILLS: Readonly<Partial<Record<Entry['status'], readonly [PillTone, string]>>> = {
  online: ['live', 'live'], online_ai: ['live', 'live'], private: ['private', 'private'],
  limited: ['private', 'ticket'], reconnecting: ['quiet', 'reconnecting'],
  connected: ['quiet', 'reconnecting'],
  standby: ['quiet', 'standby'], offline: ['quiet', 'offline'],
};

/** One performer of a listing: image, status, name, topic, viewers, languages. The whole tile is the link. */
export function Tile({ entry, eager }: { entry: Entry; eager: boolean }) {
  const { t, i18n } = useTranslation('browse');
  const [tone, state] = PILLS[entry.status] ?? ['quiet', 'offline'];
  const viewers = formatCount(entry.viewerCount, i18n.language);
  return (
    <Link
      to={`/${entry.username}`}
      data-preview={entry.liveThumbUrl === null ? undefined : entry.username}
      className="group relative block aspect-4/3 overflow-hidden rounded-card bg-raised outline-offset-2
        select-none [-webkit-touch-callout:none]"
    >
      <Picture entry={entry} eager={eager} />
      <span className="absolute inset-x-2 top-2 flex gap-1">
        <Pill tone={tone}>{t(keyOf('browse', 'state', state))}</Pill>
        {entry.isNew ? <Pill>{t('state.new')}</Pill> : null}
      </span>
      <span
        className="absolute inset-x-0 bottom-0 flex flex-col bg-linear-to-t from-black/90 via-black/65
          via-45% to-transparent px-2 pt-6 pb-2 text-white sm:px-3"
      >
        <span className="flex items-center justify-between gap-2">
          <span className="truncate text-sm font-bold sm:text-base">{entry.displayName}</span>
          <span className="tabular inline-flex shrink-0 items-center gap-1 text-xs font-medium">
            <Eye size={14} aria-hidden />
            <span aria-hidden>{viewers}</span>
            <VisuallyHidden>{t('viewers', { amount: viewers })}</VisuallyHidden>
          </span>
        </span>
        <span className="flex items-center justify-between gap-2 text-xs">
          <span className="truncate">{entry.subjectText}</span>
          <Languages codes={entry.languages} />
        </span>
      </span>
    </Link>
  );
}

/** The live thumbnail, else the portrait, else the first letter of the name. */
function Picture({ entry, eager }: { entry: Entry; eager: boolean }) {
  const [broken, setBroken] = useState<readonly string[]>([]);
  const src = [entry.liveThumbUrl, entry.thumbUrl].find((url) => url !== null && !broken.includes(url));
  if (!src) {
    return (
      <span aria-hidden
        className="flex size-full items-center justify-center pb-8 text-2xl font-bold text-muted">
        {entry.displayName[0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      src={src} alt="" width={480} height={360} decoding="async" loading={eager ? 'eager' : 'lazy'}
      onError={() => setBroken([...broken, src])}
      className="size-full object-cover transition-transform duration-200 group-hover:scale-103"
    />
  );
}

/** Codes of the languages spoken, with names for screen readers; a flag would mean a country. */
function Languages({ codes }: { codes: readonly string[] }) {
  const { i18n } = useTranslation();
  const shown = codes.slice(0, MAX_LANGUAGES);
  if (shown.length === 0) return null;
  const names = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
  return (
    <span className="shrink-0">
      <span aria-hidden className="uppercase">{shown.join(' ')}</span>
      <VisuallyHidden>{shown.map((code) => nameOf(names, code)).join(', ')}</VisuallyHidden>
    </span>
  );
}

/** The name of a language, or the code itself when it is no language tag. */
function nameOf(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
