/** Texts for taking a picture away: the page that is embedded, sharing, export, the text account, the palette. */
export const awayEn = {
  open: 'Open in playground',
  details: 'Details',
  player: 'Player',
};

export const awayZh: typeof awayEn = {
  open: '在演练场中打开',
  details: '细节',
  player: '播放器',
};
