/** Texts for taking a run away: the page that is embedded, sharing, export, the text account. */
export const awayEn = {
  open: 'Open in playground',
  details: 'Details',
  copied: 'Copied',
  filming: (percent: number) => `Filming the pass: ${percent} %`,
  noWebm: 'This browser makes no WebM; the GIF shows the same.',

  groups: {
    view: 'The view at hand',
    pass: 'The pass, moving',
    run: 'The whole run',
    graph: 'The graph, drawn by Graphviz',
  },
  formats: {
    svg: ['SVG', 'a drawing that scales'],
    png: ['PNG', 'a picture, at twice the size'],
    print: ['Print', 'the page on paper'],
    gif: ['GIF', 'plays in slides and chats'],
    webm: ['WebM', 'a sharper video'],
    html: ['HTML', 'plays offline, in one file'],
    markdown: ['Markdown', 'copies program, graph, every number'],
    json: ['JSON', 'the trace, for programs'],
    pdf: ['PDF', 'for print'],
    dot: ['DOT', 'the source of the drawing'],
  },

  share: {
    title: 'Share this moment',
    link: 'Link',
    short: 'Short link',
    frame: 'Frame for a page',
    tag: 'Tag for a page, with the program',
    copy: 'Copy',
    qr: 'QR code of the link',
    long: 'The program is too long for a QR code.',
    frames: 'Other sites may frame it where whoever runs this server allows them to.',
  },

  account: {
    title: 'The run in words',
    tensors: 'Tensors',
    name: 'tensor',
    shape: 'shape',
    value: 'value',
    leaf: 'leaf',
  },
};

export const awayZh: typeof awayEn = {
  open: '在演练场中打开',
  details: '细节',
  copied: '已复制',
  filming: (percent) => `正在录制这一遍：${percent} %`,
  noWebm: '这个浏览器做不了 WebM；GIF 的内容是一样的。',

  groups: {
    view: '眼前的画面',
    pass: '反向传播的动画',
    run: '整个运行',
    graph: 'Graphviz 画的图',
  },
  formats: {
    svg: ['SVG', '可缩放的矢量图'],
    png: ['PNG', '两倍大小的图片'],
    print: ['打印', '把页面印在纸上'],
    gif: ['GIF', '在幻灯片和聊天里播放'],
    webm: ['WebM', '更清晰的视频'],
    html: ['HTML', '单个文件，离线播放'],
    markdown: ['Markdown', '复制程序、图和所有数字'],
    json: ['JSON', '给程序用的轨迹'],
    pdf: ['PDF', '供打印'],
    dot: ['DOT', '图的源代码'],
  },

  share: {
    title: '分享这一刻',
    link: '链接',
    short: '短链接',
    frame: '嵌入网页的框架',
    tag: '嵌入网页的标签，带程序',
    copy: '复制',
    qr: '链接的二维码',
    long: '程序太长，放不进二维码。',
    frames: '别的网站能不能嵌入它，由这台服务器的管理者决定。',
  },

  account: {
    title: '用文字讲这次运行',
    tensors: '张量',
    name: '张量',
    shape: '形状',
    value: '值',
    leaf: '叶子张量',
  },
};
