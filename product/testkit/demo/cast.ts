import type { GenderCode } from '#product/accounts/rules.ts';
import type { PostAudience } from '#product/fanclubs/rules/posts.ts';
import type { ListingChange } from '#product/performers/server.ts';
import more from '../cast-more.json' with { type: 'json' };
import cast from '../cast.json' with { type: 'json' };

/** The people of the demo. All invented; their rooms are about talk, music, drawing and games. */
export interface CastPerformer {
  readonly username: string;
  readonly displayName: string;
  readonly gender: GenderCode;
  readonly languages: readonly string[];
  readonly tags: readonly string[];
  readonly topic: string;
  readonly about: string;
  /** Their own profile in listings. */
  readonly listing?: ListingChange;
  /** The studio they work for, if any. */
  readonly studio?: string;
}

/** Two hundred: enough for a busy site. */
export const CAST = [...cast.performers, ...more] as readonly CastPerformer[];

/** Performers who are live in the demo, each with a loop of their own (`product/testkit/loops`). */
export const LIVE_CAST: Readonly<Record<string, string>> = {
  luna_vale: 'piano',
  mara_lind: 'candle',
  kai_rowan: 'yoga',
  ivy_marsh: 'painter',
  noor_sami: 'neon',
  theo_and_june: 'puppets',
  tess_arden: 'kitchen',
  jade_orlo: 'dancer',
  sky_holm: 'drummer',
  rosa_delmar: 'vinyl',
  ember_quill: 'fireplace',
  mira_solano: 'evening',
  otto_brandt: 'lavalamp',
  lea_fontaine: 'silk',
  nico_and_ada: 'aquarium',
  hana_sato: 'snowfall',
  daphne_roe: 'fireflies',
  freya_paz: 'skyline',
  sanne_bakker: 'lanterns',
  vera_klein: 'guitar',
  tova_lind: 'aurora',
  bianca_rossi: 'seaside',
  cleo_hart: 'rain',
  lucia_vidal: 'train',
};

/** Viewers of the demo who chat and tip at a human pace. */
export const EXTRAS: readonly string[] = cast.extras;

/** Chat lines of the extras: short, friendly, about the room. */
export const EXTRA_LINES: readonly string[] = cast.lines;

/** Members who watch, follow and like, and say nothing. */
export const FANS: readonly string[] = cast.fans;

interface DemoClub {
  readonly description: string;
  /** Tokens a month, and perks: supporter, insider, legend. */
  readonly prices: readonly [number, number, number];
  readonly perks: readonly [readonly string[], readonly string[], readonly string[]];
  /** Audience and text of each, oldest first. */
  readonly posts: readonly (readonly [PostAudience, string])[];
}
/** The fan clubs of performers. */
export const CLUBS = cast.clubs as unknown as Readonly<Record<string, DemoClub>>;

/** What performers collect tips for: titles with their tokens, in order. */
export const GOALS: Readonly<Record<string, readonly (readonly [string, number])[]>> = cast
  .goals as unknown as Record<string, readonly (readonly [string, number])[]>;

/** Listing names of the demo site, for listings whose paths are names; no other site has them. */
export const DEMO_LISTING_NAMES = {
  'casa-salsa': 'Casa Salsa',
  'jb-cams': 'JB Cams',
  julmodels: 'Julmodels',
  reallifecam: 'RealLifeCam',
  'voyeur-house': 'Voyeur House',
  sodastars: 'Sodastars',
} as const;
