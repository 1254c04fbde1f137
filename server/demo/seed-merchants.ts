import type { merchants } from '../db/schema';

/** The merchants of the demo. They and their town are invented. */
export const demoMerchants = [
  {
    id: 'black-sesame-bakery',
    name: { en: 'Black Sesame Bakery', zh: '黑芝麻烘焙坊' },
    category: { en: 'Bakery', zh: '面包甜点' },
    address: { en: '3 Mill Lane, Old Harbour', zh: '旧港磨坊巷 3 号' },
    about: {
      en: 'Twelve loaves an hour, and a queue for the sesame buns since seven in the morning.',
      zh: '每炉只烤十二个面包，招牌黑芝麻餐包早上七点就有人排队。',
    },
  },
  {
    id: 'chalk-and-rope',
    name: { en: 'Chalk & Rope Climbing', zh: '白垩攀岩馆' },
    category: { en: 'Sport', zh: '运动健身' },
    address: { en: '88 Foundry Road, Northgate', zh: '北门铸造路 88 号' },
    about: {
      en: 'Fourteen metres of wall in a former foundry. New routes every Thursday, and tea at the bottom.',
      zh: '老铸造厂改建的十四米岩壁，每周四换新线路，爬完下来有热茶。',
    },
  },
  {
    id: 'ember-hotpot',
    name: { en: 'Ember & Stone Hotpot', zh: '炭石老火锅' },
    category: { en: 'Restaurant', zh: '火锅' },
    address: { en: '21 Ferry Street, Old Harbour', zh: '旧港渡口街 21 号' },
    about: {
      en: 'Copper pots over charcoal, broth simmered overnight, and a spice level they ask you about twice.',
      zh: '铜锅炭火，牛骨汤底熬足一整夜，辣度下单前会再问您一遍。',
    },
  },
  {
    id: 'lantern-row-cinema',
    name: { en: 'Lantern Row Cinema', zh: '灯影里影院' },
    category: { en: 'Cinema', zh: '电影演出' },
    address: { en: '5 Lantern Row, Theatre Quarter', zh: '剧院区灯影里 5 号' },
    about: {
      en: 'Three screens, velvet seats and no advertisements. Late shows end in time for the last tram.',
      zh: '三个影厅，丝绒座椅，映前没有广告；夜场散场正好赶上末班电车。',
    },
  },
  {
    id: 'long-bench-noodles',
    name: { en: 'Long Bench Noodle House', zh: '长凳面馆' },
    category: { en: 'Restaurant', zh: '面馆小吃' },
    address: { en: '9 Canal Steps, Old Harbour', zh: '旧港运河台阶 9 号' },
    about: {
      en: 'One table, eleven metres long. Noodles are pulled when you sit down and served before you settle.',
      zh: '店里只有一张十一米的长桌，坐下才拉面，没等您坐稳就端上来了。',
    },
  },
  {
    id: 'margin-notes-books',
    name: { en: 'Margin Notes Books', zh: '眉批书店' },
    category: { en: 'Bookshop', zh: '书店文创' },
    address: { en: '14 Scholar Hill, University', zh: '大学城书山路 14 号' },
    about: {
      en: 'New and second-hand. The best annotations of former owners hang framed above the till.',
      zh: '新书旧书都卖，前主人写得最妙的批注被装进相框，挂在收银台上方。',
    },
  },
  {
    id: 'moss-and-stem',
    name: { en: 'Moss & Stem Florist', zh: '苔枝花店' },
    category: { en: 'Flowers', zh: '鲜花绿植' },
    address: { en: '2 Glasshouse Walk, Botanic Park', zh: '植物园温室步道 2 号' },
    about: {
      en: 'Cut the same morning, wrapped in yesterday’s newspaper, with a note on how to keep them alive.',
      zh: '当天清晨剪枝，用旧报纸包好，附一张手写的养护小卡。',
    },
  },
  {
    id: 'nine-pin-alley',
    name: { en: 'Nine Pin Alley', zh: '九瓶保龄球馆' },
    category: { en: 'Leisure', zh: '休闲娱乐' },
    address: { en: '40 Station Square, Northgate', zh: '北门站前广场 40 号' },
    about: {
      en: 'Eight lanes and a jukebox that has not been updated since 1994, on purpose.',
      zh: '八条球道，一台点唱机，歌单故意停在 1994 年。',
    },
  },
  {
    id: 'pedal-works',
    name: { en: 'Pedal Works', zh: '脚踏车工坊' },
    category: { en: 'Repair', zh: '维修养护' },
    address: { en: '17 Viaduct Arches, Northgate', zh: '北门高架桥洞 17 号' },
    about: {
      en: 'Bicycles in by nine are out by six. They show you the worn part, so that you believe them.',
      zh: '早上九点前送来，傍晚六点就能骑走；换下的旧零件会拿给您看，明明白白。',
    },
  },
  {
    id: 'quiet-kiln',
    name: { en: 'Quiet Kiln Pottery', zh: '静窑陶艺' },
    category: { en: 'Workshop', zh: '手作体验' },
    address: { en: '6 Brickfield Yard, Riverside', zh: '河畔砖场院 6 号' },
    about: {
      en: 'Two hours, one wheel each, telephones in a drawer. Collect your bowl a fortnight later.',
      zh: '两个小时，一人一台拉坯机，手机锁进抽屉，半个月后来取自己的碗。',
    },
  },
  {
    id: 'slow-crane-coffee',
    name: { en: 'Slow Crane Coffee Roasters', zh: '慢鹤咖啡' },
    category: { en: 'Coffee', zh: '咖啡' },
    address: { en: '31 Ropewalk, Riverside', zh: '河畔制绳街 31 号' },
    about: {
      en: 'A small roaster by the window turns from Tuesday to Saturday. Ask for the bean of the week.',
      zh: '周二到周六，窗边的小烘豆机都在转，记得问一声本周豆子。',
    },
  },
  {
    id: 'tidewater-sushi',
    name: { en: 'Tidewater Sushi', zh: '潮见寿司' },
    category: { en: 'Restaurant', zh: '日本料理' },
    address: { en: '1 Fish Quay, Old Harbour', zh: '旧港鱼市码头 1 号' },
    about: {
      en: 'Nine seats and no menu: the boats decide. Closed when the sea is rough.',
      zh: '九个座位，没有菜单，今天吃什么由渔船决定；风浪大就歇业。',
    },
  },
] as const satisfies readonly (typeof merchants.$inferInsert)[];
