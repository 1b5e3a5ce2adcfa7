import { queryOf, useCall } from '#platform/ui/calls/calls.ts';
import { getSiteConfig } from '#product/site/client.ts';
import type { SiteView } from '#product/site/contract.ts';
import { DEFAULT_COLOURS } from '#product/site/rules.ts';
import { useQuery } from '@tanstack/react-query';

/** The site of this host; undefined only where reading it failed. */
export function useSite(): SiteView | undefined {
  return useSiteConfig()?.site;
}

/** Site, mode and languages that the document was rendered with. */
export function useSiteConfig() {
  const call = useCall();
  return useQuery({ ...queryOf(call, getSiteConfig, {}), enabled: false }).data;
}

const COLOUR = /^#[\da-f]{6}$/iu;

/**
 * The brand colors of a site as CSS, if they differ from the design's. Anything but a plain color is
 * left out.
 */
export function coloursOf(colours: SiteView['custom']['colours']): string {
  const declarations = Object.entries(DEFAULT_COLOURS).flatMap(([name, usual]) => {
    const colour = colours[name as keyof typeof colours];
    const differs = COLOUR.test(colour) && colour.toLowerCase() !== usual.toLowerCase();
    return differs ? [`--brand-${name.replace('_', '-')}:${colour}`] : [];
  });
  return declarations.length > 0 ? `:root{${declarations.join(';')}}` : '';
}
