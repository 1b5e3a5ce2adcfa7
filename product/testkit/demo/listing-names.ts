/** What the demo site calls listings whose paths are names: data of that site, which no other one has. */
export const DEMO_LISTING_NAMES = {
  'casa-salsa': 'Casa Salsa', 'jb-cams': 'JB Cams', julmodels: 'Julmodels', reallifecam: 'RealLifeCam',
  'voyeur-house': 'Voyeur House', sodastars: 'Sodastars',
} as const;
