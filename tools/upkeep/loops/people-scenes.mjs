/** People and what they do: figures that move, instruments, a kitchen. `t` runs from 0 to 1 in a loop. */
import {
  backdrop,
  blur,
  bust,
  disc,
  down,
  each,
  glow,
  HEADPHONES,
  HEIGHT,
  KNOT,
  path,
  round,
  scatter,
  wave,
  WIDTH,
} from './draw.mjs';

const line = (x1, y1, x2, y2, colour, width, more = '') =>
  `<line x1="${round(x1)}" y1="${round(y1)}"
  x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"
    ${more}/>`;

/** An arm or a leg of two parts from one joint over the next to the last. */
const limb = (points, colour, width) =>
  `<polyline points="${
    points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')
  }" fill="none" stroke="${colour}" stroke-width="${width}"
  stroke-linecap="round" stroke-linejoin="round"/>`;

/** A whole figure: hip at (x, y), with the angles of arms and legs given by the hand and foot positions. */
function figure({ x, y, size, colour, lean, hands, feet, head = 0 }) {
  const [left, right] = hands;
  const [leftFoot, rightFoot] = feet;
  return `<g transform="translate(${round(x)} ${round(y)}) scale(${size}) rotate(${round(lean)})">
    ${limb([[-10, 0], [leftFoot[0] * 0.55 - 8, leftFoot[1] * 0.5], leftFoot], colour, 17)}
    ${limb([[10, 0], [rightFoot[0] * 0.55 + 8, rightFoot[1] * 0.5], rightFoot], colour, 17)}
    <path d="M-20,4 C-26,-40 -30,-62 -24,-84 L24,-84 C30,-62 26,-40 20,4 Z" fill="${colour}"/>
    ${limb([[-22, -78], [left[0] * 0.6 - 20, left[1] * 0.55 - 34], left], colour, 13)}
    ${limb([[22, -78], [right[0] * 0.6 + 20, right[1] * 0.55 - 34], right], colour, 13)}
    <g transform="translate(${round(head)} 0)"><rect x="-7" y="-98" width="14" height="18" fill="${colour}"/>
    <circle cx="0" cy="-112" r="20" fill="${colour}"/><circle cx="-4" cy="-130" r="11"
      fill="${colour}"/></g></g>`;
}

export const peopleScenes = {
  dancer: (t) =>
    `<defs>${down('wall', '#3b1150', '#8a2a6b', '#e0685a')}${glow('spot', '#ffd6a0', 0.7)}
    ${blur('soft', 8)}</defs>${backdrop('url(#wall)')}
    ${disc(320 + 90 * wave(t), 190, 210, 'url(#spot)')}
    <ellipse cx="320" cy="330" rx="230" ry="24" fill="#2a0c38" opacity="0.5"/>
    ${
      figure({
        x: 320 + 70 * wave(t),
        y: 226 + 6 * wave(t, 4),
        size: 1.05,
        colour: '#23092f',
        lean: 9 * wave(t, 2),
        hands: [[-70 + 26 * wave(t, 2), -120 + 60 * wave(t, 2, 0.2)], [
          70 + 26 * wave(t, 2, 0.5),
          -120 + 60 *
            wave(t, 2, 0.7),
        ]],
        feet: [[-26 + 24 * wave(t, 2), 98], [26 + 24 * wave(t, 2), 98 - 14 * Math.abs(wave(t, 2))]],
        head: 5 * wave(t, 2, 0.1),
      })
    }
    ${
      each(9, (i) =>
        disc(
          60 + 65 * i,
          40 + 18 * (i % 3),
          5 + 2 * wave(t, 4, i / 9),
          ['#ffd166', '#ff8fb8', '#8fe9ff'][i % 3],
          'opacity="0.8"',
        ))
    }`,

  yoga: (t) => {
    const rise = 0.5 + 0.5 * wave(t, 1, -0.25);
    return `<defs>${down('dawn', '#f7c59f', '#f09a84', '#b8647c')}${glow('sun', '#fff3cf', 0.95)}</defs>
      ${backdrop('url(#dawn)')}${disc(470, 150 - 20 * rise, 190, 'url(#sun)')}${
      disc(470, 150 - 20 * rise, 44, '#fff6da')
    }
      <rect y="286" width="${WIDTH}" height="74" fill="#7c3f63"/>
      <rect x="150" y="296" width="340" height="16" rx="8" fill="#4b87a3"/>
      ${
      figure({
        x: 320,
        y: 214 + 6 * (1 - rise),
        size: 0.95,
        colour: '#3a1a3c',
        lean: 0,
        hands: [[-34 - 46 * (1 - rise), -70 - 90 * rise], [34 + 46 * (1 - rise), -70 - 90 * rise]],
        feet: [[-4, 92], [6 - 26 * rise, 92 - 34 * rise]],
      })
    }
      ${
      each(5, (i) =>
        `<path d="M${40 + 130 * i},292 q${round(14 * wave(t, 1, i / 5))},-40 0,-84" fill="none"
        stroke="#5f7a52" stroke-width="5"/>`)
    }`;
  },

  guitar: (t) =>
    `<defs>${down('room', '#2b1a12', '#5c3420', '#22120c')}${glow('lamp', '#ffcf8a', 0.85)}
    ${down('wood', '#e8a45a', '#a85a28')}${blur('edge', 1)}</defs>${backdrop('url(#room)')}
    ${disc(500, 90, 230 + 6 * wave(t, 2), 'url(#lamp)')}
    <g fill="#1d0d0a" filter="url(#edge)">${bust(t, 300, 170, 1.1, KNOT)}</g>
    <g transform="translate(330 278) rotate(${round(-14 + 1.5 * wave(t, 2))})">
      <path d="M-92,-8 C-98,-56 -40,-62 -16,-40 C6,-56 52,-50 52,-4 C52,44 4,50 -16,34 C-42,56 -88,44 -92,-8
        Z"
        fill="url(#wood)"/>${disc(-18, -3, 21, '#2a120a')}
      <rect x="44" y="-13" width="190" height="19" fill="#4a2414"/>
      ${
      each(6, (i) =>
        `<path d="M-74,${-11 + 3 * i} Q${round(-10)},${round(-11 + 3 * i + 4 * wave(t, 10 + i, i / 6))} 232,${
          -11 + 3 * i
        }" fill="none" stroke="#f2dcb8" stroke-width="1"/>`)
    }
      ${disc(-20 + 12 * wave(t, 5), -2 + 20 * wave(t, 5, 0.25), 15, '#b9805c')}
      ${disc(150 + 22 * wave(t, 2), 0, 13, '#b9805c')}</g>`,

  piano: (t) =>
    `<defs>${down('room', '#10142b', '#27305c', '#0b0e20')}${glow('lamp', '#ffe1a8', 0.7)}</defs>
    ${backdrop('url(#room)')}${disc(320, 40, 300, 'url(#lamp)')}
    <path d="M0,150 L640,150 L640,178 L0,178 Z" fill="#0a0a12"/>
    ${
      each(16, (i) => {
        const down1 = Math.max(0, wave(t, 5, i * 0.382)) ** 6;
        return `<rect x="${i * 40 + 1}" y="${round(178 + 8 * down1)}" width="38" height="150" rx="4"
        fill="${down1 > 0.4 ? '#ffe9c4' : '#f4f0ea'}"/>`;
      })
    }
    ${
      each(15, (i) => (i % 7 === 2 || i % 7 === 6 ? '' : `<rect x="${i * 40 + 28}" y="${
        round(
          178 + 6 *
              Math.max(0, wave(t, 4, i * 0.618)) ** 6,
        )
      }" width="24" height="92" rx="3" fill="#14141c"/>`))
    }
    ${
      each(2, (i) => {
        const x = 190 + 260 * i + 70 * wave(t, 2, i / 2);
        return `<g transform="translate(${round(x)} ${round(262 + 8 * wave(t, 8, i / 3))})">
        <path d="M-46,110 C-52,40 -44,4 -32,-16 L34,-16 C46,6 52,42 46,110 Z" fill="#c98f6c"/>
        ${
          each(4, (k) =>
            `<rect x="${-33 + 17 * k}" y="${round(-52 + 8 * wave(t, 8, (k + i) / 4))}" width="14"
          height="52" rx="7" fill="#d8a07c"/>`)
        }</g>`;
      })
    }`,

  painter: (t) => {
    const x = 392 + 60 * wave(t, 3);
    const y = 150 + 46 * wave(t, 2, 0.2);
    return `<defs>${down('loft', '#dfe7e4', '#b8c9c8', '#8fa6a8')}${glow('sky', '#ffffff', 0.8)}</defs>
      ${backdrop('url(#loft)')}${disc(90, 60, 220, 'url(#sky)')}
      <path d="M330,350 L380,70 M560,350 L500,70" stroke="#7a5638" stroke-width="11"/>
      <rect x="322" y="64" width="244" height="196" fill="#fbf7ef" stroke="#7a5638" stroke-width="6"/>
      ${
      each(9, (i) =>
        path(
          `M${336 + 24 * i},${round(240 - 14 * scatter(i))} q12,-${
            round(
              26 + 90 *
                  scatter(i, 1),
            )
          }
        24,0 Z`,
          ['#e0685a', '#f0a35a', '#5a9ab8', '#6fae7c', '#8c6bb0'][i % 5],
          'opacity="0.75"',
        ))
    }
      ${disc(x, y, 9 + 3 * wave(t, 5), '#e0457a', 'opacity="0.85"')}
      ${line(x, y, 250, 236, '#5b3a22', 7)}
      <g fill="#2c3a4a">${bust(t, 190, 176, 1.05, KNOT)}</g>
      <path d="M250,236 C232,256 214,262 196,300" stroke="#2c3a4a" stroke-width="30" fill="none"
        stroke-linecap="round"/>`;
  },

  kitchen: (t) =>
    `<defs>${down('tiles', '#f6e6cf', '#e6c9a2')}${down('pot', '#c94f3d', '#7d2a22')}
    ${blur('steam', 7)}</defs>${backdrop('url(#tiles)')}
    ${each(12, (i) => `<path d="M${i * 56},0 V230" stroke="#d9b88c" stroke-width="2"/>`)}
    ${each(5, (i) => `<path d="M0,${i * 56} H640" stroke="#d9b88c" stroke-width="2"/>`)}
    <rect y="272" width="${WIDTH}" height="88" fill="#6f4a34"/><rect y="262" width="${WIDTH}" height="14"
      fill="#8d6042"/>
    <g fill="#3a2a4a">${bust(t, 200, 150, 1.1, '')}</g><rect x="150" y="70" width="100" height="34" rx="14"
      fill="#fdfaf4"/>
    <rect x="370" y="196" width="170" height="70" rx="12" fill="url(#pot)"/>
    <ellipse cx="455" cy="197" rx="86" ry="13" fill="#f0b15a"/>
    ${each(7, (i) => disc(395 + 20 * i, 196 + 3 * wave(t, 4, i / 7), 5 + 2 * wave(t, 6, i / 5), '#ffd58a'))}
    ${
      each(8, (i) => {
        const up = (scatter(i) + 2 * t) % 1;
        return disc(
          420 + 70 * scatter(i, 1) + 14 * wave(t, 2, scatter(i, 2)),
          180 - 150 * up,
          12 + 22 * up,
          '#ffffff',
          `opacity="${round(0.5 * (1 - up))}" filter="url(#steam)"`,
        );
      })
    }
    ${line(300, 170 + 4 * wave(t, 4), 452 + 34 * wave(t, 4), 206 + 6 * wave(t, 4, 0.25), '#7a5230', 9)}`,

  drummer: (t) =>
    `<defs>${down('stage', '#120a24', '#3a145a', '#12081e')}${glow('beam', '#ff5fb0', 0.55)}
    ${glow('beam2', '#46e0ff', 0.5)}${blur('edge', 1)}</defs>${backdrop('url(#stage)')}
    ${disc(140 + 80 * wave(t), 60, 230, 'url(#beam)')}${
      disc(500 + 80 * wave(t, 1, 0.5), 60, 230, 'url(#beam2)')
    }
    <g fill="#0a0614" filter="url(#edge)">${bust(t, 320, 150, 1.05, HEADPHONES)}</g>
    ${line(282, 210, 236 + 10 * wave(t, 8), 250 - 34 * Math.abs(wave(t, 4)), '#e8cfa0', 6)}
    ${line(358, 210, 404 + 10 * wave(t, 8, 0.5), 250 - 34 * Math.abs(wave(t, 4, 0.125)), '#e8cfa0', 6)}
    ${
      each(3, (i) =>
        `<g transform="translate(${190 + 130 * i} ${270 + (i === 1 ? 20 : 0)})">
      <rect x="-58" y="0" width="116" height="66" fill="${['#b3265f', '#d9d3e6', '#2a7a9a'][i]}"/>
      <ellipse cx="0" cy="${round(2 * Math.abs(wave(t, 4, i / 8)))}" rx="58" ry="15" fill="#f2ecf8"/></g>`)
    }
    ${
      each(2, (i) =>
        `<g transform="translate(${110 + 420 * i} 176) rotate(${
          round(
            (i ? 1 : -1) * (12 + 7 *
                wave(t, 8, i / 2)),
          )
        })"><ellipse rx="62" ry="8" fill="#e6b84f"/><rect x="-2" y="4" width="4" height="160"
        fill="#8a8396"/></g>`)
    }`,

  puppets: (t) =>
    `<defs>${down('cloth', '#7a1020', '#c22b3a', '#5c0a18')}${down('scene', '#9ad0ec', '#e6f4e0')}</defs>
    ${backdrop('url(#cloth)')}<rect x="110" y="50" width="420" height="230" fill="url(#scene)"/>
    ${disc(180, 100, 26, '#ffe07a')}
    ${path(`M110,280 V250 Q210,${round(214 + 4 * wave(t))} 320,250 T530,244 V280 Z`, '#6fb36a')}
    ${
      figure({
        x: 240 + 18 * wave(t, 2),
        y: 214,
        size: 0.55,
        colour: '#3b4cc0',
        lean: 8 * wave(t, 4),
        hands: [[-60, -70 + 50 * wave(t, 4)], [60, -70 + 50 * wave(t, 4, 0.5)]],
        feet: [[-24, 90], [24, 90]],
      })
    }
    ${
      figure({
        x: 400 + 18 * wave(t, 2, 0.5),
        y: 214,
        size: 0.55,
        colour: '#c0563b',
        lean: 8 * wave(t, 4, 0.3),
        hands: [[-60, -70 + 50 * wave(t, 4, 0.4)], [60, -70 + 50 * wave(t, 4, 0.9)]],
        feet: [[-24, 90], [24, 90]],
      })
    }
    ${each(9, (i) => path(`M${i * 72 - 10},0 q36,${round(70 + 6 * wave(t, 2, i / 9))} 72,0 Z`, '#8f1526'))}
    <rect x="96" y="276" width="448" height="84" fill="#8a5a30"/><rect x="96" y="276" width="448" height="10"
      fill="#b98047"/><rect y="${HEIGHT - 8}" width="${WIDTH}" height="8" fill="#3c0712"/>`,
};
