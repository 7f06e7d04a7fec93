/* See interface.h. Headers of the kernel alone: those of the C library have the same structures again.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "tap/interface.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IPV6_PREFIX = 64 };

static const uint8_t netmask[] = {255, 0, 0, 0}, class_d[] = {224, 0, 0, 0}, class_d_mask[] = {240, 0, 0, 0};

struct tap_address tap_interface_ipv4(unsigned site)
{
    const uint8_t address[] = {10, 1, (uint8_t)(site >> 8), (uint8_t)site};
    return tap_address_ipv4(address);
}

struct tap_address tap_interface_ipv6(unsigned site)
{
    return (struct tap_address){{0xfd, [13] = 1, (uint8_t)(site >> 8), (uint8_t)site}};
}

static struct ifreq request_for(const char *name)
{
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    return request;
}

static void put_ipv4(struct sockaddr *out, const uint8_t *address)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    memcpy(&in.sin_addr, address, sizeof in.sin_addr);
    memcpy(out, &in, sizeof *out);
}

static bool set_up(int socket, const char *name)
{
    struct ifreq request = request_for(name);
    if (ioctl(socket, SIOCGIFFLAGS, &request) != 0)
        return false;
    request.ifr_flags |= IFF_UP;
    return ioctl(socket, SIOCSIFFLAGS, &request) == 0;
}

static bool set_mac(int socket, const char *name, unsigned site)
{
    struct ifreq request = request_for(name);
    request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    tap_frame_mac(site, (uint8_t *)request.ifr_hwaddr.sa_data);
    return ioctl(socket, SIOCSIFHWADDR, &request) == 0;
}

static bool set_ipv4(int socket, const char *name, unsigned site)
{
    struct ifreq request = request_for(name);
    struct tap_address address = tap_interface_ipv4(site);
    put_ipv4(&request.ifr_addr, address.bytes + TAP_ADDRESS_BYTES - 4);
    if (ioctl(socket, SIOCSIFADDR, &request) != 0)
        return false;
    put_ipv4(&request.ifr_netmask, netmask);
    return ioctl(socket, SIOCSIFNETMASK, &request) == 0;
}

/* Without it, only programs that name an interface could send to class D addresses. */
static bool route_class_d(int socket, const char *name)
{
    char device[IFNAMSIZ];
    struct rtentry route = {.rt_flags = RTF_UP, .rt_dev = device};
    snprintf(device, sizeof device, "%s", name);
    put_ipv4(&route.rt_dst, class_d);
    put_ipv4(&route.rt_genmask, class_d_mask);
    return ioctl(socket, SIOCADDRT, &route) == 0;
}

/* Addresses follow from site numbers, so nobody else can have one: an address need not wait for that to be found out.
 * Where /proc/sys may not be written, it waits a second. */
static void trust_address(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/accept_dad", name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (write(file, "0", 1) != 1)
        errno = 0;
    close(file);
}

/* A kernel without IPv6 has a mesh without it. */
static bool set_ipv6(int socket_ipv4, const char *name, unsigned site)
{
    struct ifreq index = request_for(name);
    struct in6_ifreq request = {.ifr6_prefixlen = IPV6_PREFIX};
    int ipv6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (ipv6 < 0)
        return errno == EAFNOSUPPORT;
    struct tap_address address = tap_interface_ipv6(site);
    memcpy(&request.ifr6_addr, &address, sizeof request.ifr6_addr);
    bool good = ioctl(socket_ipv4, SIOCGIFINDEX, &index) == 0;
    request.ifr6_ifindex = index.ifr_ifindex;
    good = good && ioctl(ipv6, SIOCSIFADDR, &request) == 0;
    int reason = errno;
    close(ipv6);
    errno = reason;
    return good;
}

static bool configure(const char *name, unsigned site, const char **what)
{
    int ipv4 = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    *what = "socket";
    if (ipv4 < 0)
        return false;
    *what = "addresses of the interface";
    trust_address(name);
    bool good = set_up(ipv4, "lo") && set_mac(ipv4, name, site) && set_up(ipv4, name) && set_ipv4(ipv4, name, site) &&
                route_class_d(ipv4, name) && set_ipv6(ipv4, name, site);
    int reason = errno;
    close(ipv4);
    errno = reason;
    return good;
}

int tap_interface_create(const char *name, unsigned site, const char **what)
{
    struct ifreq request = request_for(name);
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    *what = "/dev/net/tun";
    if (tap < 0)
        return -1;
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(tap, TUNSETIFF, &request) == 0 && configure(name, site, what))
        return tap;
    int reason = errno;
    close(tap);
    errno = reason;
    return -1;
}
