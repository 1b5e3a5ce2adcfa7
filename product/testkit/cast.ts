import type { GenderCode } from '../accounts/rules.ts';

/** The people of the demo. All invented; their rooms are about talk, music, drawing and games. */
export interface CastPerformer {
  readonly username: string;
  readonly displayName: string;
  readonly gender: GenderCode;
  readonly languages: readonly string[];
  readonly tags: readonly string[];
  readonly topic: string;
  readonly about: string;
}

type Row = readonly [
  username: string, displayName: string, gender: GenderCode, languages: string, tags: string, topic: string,
  about: string,
];

const ROWS: readonly Row[] = [
  ['luna_vale', 'Luna Vale', 'f', 'en es', 'music chill new', 'Late night piano, requests open', 'I play what you hum.'],
  ['mara_lind', 'Mara Lind', 'f', 'en de', 'talk cozy', 'Tea, candles and your best story', 'Good listener.'],
  ['kai_rowan', 'Kai Rowan', 'm', 'en', 'fitness talk', 'Stretch break: follow along', 'Trainer by day.'],
  ['ivy_marsh', 'Ivy Marsh', 'f', 'en fr', 'art drawing', 'Drawing portraits of the chat', 'Ink and watercolour.'],
  ['noor_sami', 'Noor Sami', 't', 'en', 'fashion talk', 'Trying every hat I own', 'Stylist and collector.'],
  ['theo_and_june', 'Theo & June', 'c', 'en', 'games couple', 'Board game night, you choose', 'Married, competitive.'],
  ['tess_arden', 'Tess Arden', 'f', 'en nl', 'cooking cozy', 'Pancakes at midnight', 'I cook, you vote.'],
  ['rio_castell', 'Rio Castell', 'm', 'es en', 'music dance', 'Vinyl and slow dances', 'Records from the attic.'],
  ['sky_holm', 'Sky Holm', 't', 'en de', 'gaming talk', 'Speedrun attempt 214', 'Still believing.'],
  ['jade_orlo', 'Jade Orlo', 'f', 'en it', 'dance fitness', 'Learning salsa, badly', 'Two left feet.'],
  ['ember_quill', 'Ember Quill', 'f', 'en', 'reading chill', 'Reading ghost stories', 'Bring a blanket.'],
  ['mira_solano', 'Mira Solano', 'f', 'es', 'talk new', 'Primera noche en directo', 'Nueva aquí.'],
  ['otto_brandt', 'Otto Brandt', 'm', 'de en', 'diy talk', 'Repairing a radio from 1961', 'Solder and patience.'],
  ['lea_fontaine', 'Léa Fontaine', 'f', 'fr en', 'fashion cozy', 'Essayage de vestes vintage', 'Friperies et café.'],
  ['nico_and_ada', 'Nico & Ada', 'c', 'it en', 'cooking couple', 'Fresh pasta for two', 'He kneads, she judges.'],
  ['wren_adler', 'Wren Adler', 't', 'en', 'art chill', 'Clay and conversation', 'Potter.'],
  ['daphne_roe', 'Daphne Roe', 'f', 'en', 'plants talk', 'Repotting the jungle', 'Ninety plants and counting.'],
  ['milo_vance', 'Milo Vance', 'm', 'en', 'comedy talk', 'Jokes my father told me', 'Apologies in advance.'],
  ['sanne_bakker', 'Sanne Bakker', 'f', 'nl en', 'knitting cozy', 'Sjaal nummer twaalf', 'Wol en thee.'],
  ['vera_klein', 'Vera Klein', 'f', 'de', 'talk music', 'Gitarre und Gespräche', 'Kleine Lieder.'],
  ['ash_monroe', 'Ash Monroe', 't', 'en fr', 'makeup talk', 'Colours of the week', 'Paint is not only for walls.'],
  ['bianca_rossi', 'Bianca Rossi', 'f', 'it', 'dance music', 'Balliamo in cucina', 'Musica sempre.'],
  ['cleo_hart', 'Cleo Hart', 'f', 'en', 'yoga chill', 'Slow evening flow', 'Breathe with me.'],
  ['finn_oak', 'Finn Oak', 'm', 'en', 'music chill', 'Cello, one take', 'No edits.'],
  ['gia_moreau', 'Gia Moreau', 'f', 'fr', 'art talk', 'Collages de minuit', 'Ciseaux et colle.'],
  ['hana_sato', 'Hana Sato', 'f', 'en', 'games cozy', 'Puzzle of 2,000 pieces', 'We are at 312.'],
  ['iris_and_max', 'Iris & Max', 'c', 'de en', 'music couple', 'Two voices, one guitar', 'Requests welcome.'],
  ['juno_reyes', 'Juno Reyes', 't', 'es en', 'dance talk', 'Choreography from scratch', 'Ocho tiempos.'],
  ['kira_novak', 'Kira Novak', 'f', 'en', 'gaming new', 'First week, be kind', 'Learning everything.'],
  ['lars_dahl', 'Lars Dahl', 'm', 'en nl', 'outdoor talk', 'Maps of long walks', 'Boots by the door.'],
  ['nadia_bloom', 'Nadia Bloom', 'f', 'en', 'baking cozy', 'Sourdough hotline', 'Ask me about starters.'],
  ['olive_pratt', 'Olive Pratt', 'f', 'en', 'sewing diy', 'Turning curtains into a coat', 'It will work.'],
  ['pia_lorenz', 'Pia Lorenz', 'f', 'de it', 'talk chill', 'Fragen ohne Antwort', 'Philosophie bei Kerzenlicht.'],
  ['quinn_shaw', 'Quinn Shaw', 't', 'en', 'magic comedy', 'Card tricks, slowly', 'Watch my hands.'],
  ['rosa_delmar', 'Rosa Delmar', 'f', 'es', 'music dance', 'Boleros de mi abuela', 'Canciones viejas.'],
  ['silas_gray', 'Silas Gray', 'm', 'en', 'chess games', 'Blitz against the chat', 'Five minutes each.'],
  ['tova_lind', 'Tova Lind', 'f', 'en', 'painting chill', 'Skies in gouache', 'Blue, mostly.'],
  ['uma_and_leo', 'Uma & Leo', 'c', 'en es', 'dance couple', 'Tango, take three', 'Practice makes better.'],
  ['willa_frost', 'Willa Frost', 'f', 'en fr', 'reading talk', 'Poems you send me', 'Read aloud.'],
  ['zuri_amani', 'Zuri Amani', 'f', 'en fr', 'fashion music', 'Mirror, lights, playlist', 'Dressing for nowhere.'],
];

export const CAST: readonly CastPerformer[] = ROWS.map(
  ([username, displayName, gender, languages, tags, topic, about]) => ({
    username, displayName, gender, topic, about, languages: languages.split(' '), tags: tags.split(' '),
  }),
);

/** How many of the cast are really live in the demo, each with a loop of their own. */
export const LIVE_CAST_COUNT = 8;

/** Viewers of the demo who chat and tip at a human pace. */
export const EXTRAS: readonly string[] = ['marco_p', 'quiet_river', 'stella_m', 'old_dutch', 'blue_lamp', 'tom_from_oslo'];

/** What the extras say: short, friendly, about the room. */
export const EXTRA_LINES: readonly string[] = [
  'hi everyone', 'good evening from the north', 'this is lovely', 'how long are you on tonight?', 'haha yes',
  'first time here, nice room', 'play that one again please', 'the light is so good today', 'back with tea',
  'what did I miss?', 'hello from the train', 'you made my day', 'can you say hi to Anna?', 'brilliant',
  'that was close!', 'greetings from Lisbon', 'sound is perfect', 'I was here yesterday too', 'one more?', 'good night all',
];
