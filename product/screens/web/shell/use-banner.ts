import { normalizeUsername } from '#platform/text/usernames.ts';
import { queryOf, useCall } from '#platform/ui/calls/calls.ts';
import type { RouteHandle } from '#platform/ui/calls/route.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoom } from '#product/rooms/client.ts';
import { BANNER_COOKIE } from '#product/site/rules/banner.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useMatches } from 'react-router';
import { useSiteConfig } from '../document/site.ts';

/**
 * The operator's own banner, if this page shows it to this person: on the home page, listings and rooms,
 * except those of men; never to performers or members with a paid membership (spec 1 §6). Documents follow
 * the same rule.
 */
export function useBanner() {
  const banner = useSiteConfig()?.banner;
  const [closed, close] = useState(0);
  const user = useMe()?.user;
  const { pathname } = useLocation();
  const page = useMatches().at(-1);
  const username = normalizeUsername(page?.params['username'] ?? '');
  const room = useQuery({ ...queryOf(useCall(), getRoom, { username }), enabled: false }).data;
  const place = (page?.handle as RouteHandle | undefined)?.banner;
  const isPlace = place === 'room' ? room && room.user.gender !== 'm' : place;
  // The server leaves out a closed banner; when the page reads its site again, this checks the cookie.
  useEffect(() => {
    if (banner && document.cookie.includes(`${BANNER_COOKIE}=${banner.id}`)) close(banner.id);
  }, [banner]);
  const isOfMen = /^\/men(?:\/|$)/iu.test(pathname);
  return banner && isPlace && !isOfMen && user?.type !== 'model' && !user?.membership
      && banner.id !== closed
    ? { banner, close }
    : null;
}
