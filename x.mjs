import { interpolate, pathQuery, pathGet } from 'agent-apps'
const t=(n,f)=>{const a=performance.now();let r;try{r=f();r=typeof r==='string'?r.length:Array.isArray(r)?r.length:r}catch(e){r=e.code??String(e)};console.log(n,r,Math.round(performance.now()-a),Math.round(process.memoryUsage().rss/1e6))}
t('big',()=>interpolate('${args.a}'.repeat(6000),{args:{a:'x'.repeat(100_000)}}))
const deep=Array.from({length:30000},(_, i)=>({i}))
t('zz',()=>interpolate('${args..zz}'.repeat(5000),{args:deep}))
t('zzdistinct',()=>interpolate(Array.from({length:20000},(_, i)=>'${args..z'+i+'}').join(''),{args:deep}))
t('where',()=>interpolate(Array.from({length:20000},(_, i)=>'${args[?q='+i+']}').join(''),{args:deep}))
t('where last',()=>pathGet(Array.from({length:6e6},()=>0),'[?a=b]'))
let d=[1];for(let i=0;i<30;i++)d=[d,d]
t('dag',()=>pathQuery(d,'[*]'.repeat(30)))
t('dag deep',()=>pathQuery(d,'..[0]'))
t('every5M',()=>pathQuery(Array.from({length:2e6},()=>0),'[*]'))
t('objs',()=>interpolate(Array.from({length:10000},(_, i)=>'${args['+i+']}').join(''),{args:Array.from({length:10000},()=>deep)}))
let c=[];for(let i=0;i<5000;i++)c=[c]
t('nest',()=>interpolate(c,{}))
