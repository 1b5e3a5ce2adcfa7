import { normalizeUsername } from '#platform/text/usernames.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { browseLive } from '#product/browse/client.ts';
import { Link, useParams } from 'react-router';

/** A strip to scroll along; more would be the listing. */
const SHOWN = 8;
/** Suggestions are chosen from everybody live: their thumbnails are in a whole page of the listing. */
const LOOKED_AT = 98;

interface LiveTile {
  readonly username: string;
  readonly name: string;
  readonly picture: string | null;
}

/**
 * Live performers to go to instead, under the panel of somebody who is offline.
 * @param names usernames the server suggests in place of a room; if the listing has name and thumbnail of
 * none of them, its first entries are shown
 */
export default function LiveNow({ names }: { names?: readonly string[] }) {
  const { t } = useTranslation('screens');
  const here = normalizeUsername(useParams()['username'] ?? '');
  const read = useRead(browseLive, { path: '', perPage: names ? LOOKED_AT : SHOWN });
  const listed: readonly LiveTile[] = (read.data?.userList ?? []).map((live) => ({
    username: live.username,
    name: live.displayName,
    picture: live.liveThumbUrl ?? live.thumbUrl,
  }));
  const suggested =
    names?.flatMap((username) => listed.filter((tile) => tile.username === username && username !== here)) ??
      [];
  const tiles = suggested.length > 0 ? suggested : listed.slice(0, SHOWN);
  if (tiles.length === 0 && !read.error) return null;
  return (
    <section
      aria-labelledby="live-now"
      className="shrink-0 border-b border-line px-4 py-3
      phone-landscape:hidden
      max-lg:group-data-keyboard:hidden"
    >
      <h2 id="live-now" className="pb-2 text-sm text-muted">{t('room.suggestions')}</h2>
      <ReadError read={read} />
      <ul className="-m-1 flex gap-3 overflow-x-auto p-1">
        {tiles.map(({ username, name, picture }) => (
          <li key={username}>
            <Link
              to={`/${username}`}
              className="flex w-32 flex-col gap-1 rounded-control text-sm font-medium"
            >
              {picture === null
                ? <span className={`${PICTURE} bg-raised`} />
                : <img src={picture} alt="" loading="lazy" className={PICTURE} />}
              <span className="truncate">
                <Typed>{name}</Typed>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const PICTURE = 'aspect-4/3 w-full rounded-control object-cover';
