targetScope   = 'subscription' // where
metadata   owner='me'
import {a,b as c} from 'lib.bicep'
import *  as  lib from './lib.bicep'
extension   kubernetes with {
  namespace:'default'
} as k8s

type  shape = 'a'|'b'|{ kind:'c', value:int }|null
@sealed()
type   point = {
  @description('x') // behind

  x : int // trailing
  y:int?
  *: string }
func area( w int,h int ) int=>w*h
param location string=resourceGroup().location
param size resourceInput<'Microsoft.Compute/virtualMachines@2023-01-01'>.properties = {}
/* before */ @secure()
param secret string

var  list=[ 1,2
   3 ]
var choice = location=='a'?{ a:1 }
    // why
    :location == 'b'?2:3
var mapped=map(list,(x,i)=>{
  key:x
  ...list[?0]!.?more
})
resource vnet 'Microsoft.Network/virtualNetworks@2023-01-01'   existing =
  if(choice!=null){
  name:'vnet-${length( list )}'

  @batchSize(1)
  resource subnets 'subnets' = [for (s,i) in list:{
    name: s
  }]
}
#disable-next-line   no-unused-vars   BCP037
module m './m.bicep' =[for x in list :if(x>1){
  name:'m'
  params:{ text:'''
  as it is
''' }
}]
var broken = [ 1 2
output   id string=vnet::subnets[0].id
